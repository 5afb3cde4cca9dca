"""Every measure by its textbook formula, in exact fractions; what tests/test_measures.py compares with.

Written from the definitions, in probabilities and without the rearranging of src/rules/measures: a value is a
Fraction, or a Decimal of 60 digits where there are roots or logarithms, or INF, -INF, NAN.

SPDX-License-Identifier: Apache-2.0
"""
from decimal import Decimal, localcontext, getcontext
from fractions import Fraction as F
from functools import cache
from math import comb

getcontext().prec = 60
getcontext().Emin, getcontext().Emax = -10 ** 9, 10 ** 9
INF, NAN = float("inf"), float("nan")
EXACT, NEAR, P = {}, {}, {}     # name: function; equal to the last bit, to 10^-13, to 10^-11


def exact(function):
    EXACT[function.__name__] = function
    return function


def near(function):
    NEAR[function.__name__] = function
    return function


def p_value(function):
    P[function.__name__] = function
    return function


def dec(x):
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else Decimal(x)


def over(a, b, both_zero=NAN):
    """a / b; a / 0 is infinite, 0 / 0 what is said."""
    if b:
        return F(a) / F(b)
    return both_zero if a == 0 else INF if a > 0 else -INF


class Table:
    """The counts, and their shares as fractions."""

    def __init__(self, n11, n1x, nx1, n):
        self.n11, self.n1x, self.nx1, self.n = n11, n1x, nx1, n
        self.n10, self.n01 = n1x - n11, nx1 - n11
        self.n00 = n - n1x - nx1 + n11
        self.n0x, self.nx0 = n - n1x, n - nx1
        if n:
            self.p11, self.p10, self.p01, self.p00 = (F(x, n) for x in (self.n11, self.n10, self.n01, self.n00))
            self.p1x, self.p0x, self.px1, self.px0 = (F(x, n) for x in (self.n1x, self.n0x, self.nx1, self.nx0))
        self.constant = 0 in (self.n1x, self.n0x, self.nx1, self.nx0)

    def least(self):
        return max(0, self.n1x + self.nx1 - self.n)

    def most(self):
        return min(self.n1x, self.nx1)

    def weight(self, k):
        """How many of the ways to choose the heads give k."""
        return comb(self.n1x, k) * comb(self.n0x, self.nx1 - k)

    def share(self, wanted):
        """The probability of all counts k that are wanted."""
        every = range(self.least(), self.most() + 1)
        weights = {k: self.weight(k) for k in every}
        return F(sum(w for k, w in weights.items() if wanted(k)), sum(weights.values()))

    def at(self, k):
        return Table(k, self.n1x, self.nx1, self.n)


def conf(t):
    return F(t.n11, t.n1x)


def body(function):
    """NaN for a body that never occurs."""
    def guarded(t):
        return function(t) if t.n1x else NAN
    guarded.__name__ = function.__name__
    return guarded


# ---- counts and shares -------------------------------------------------------------------------------

@exact
def support(t): return t.p11
@exact
def confidence(t): return over(t.n11, t.n1x)
@exact
def lift(t): return over(t.p11, t.p1x * t.px1)
@exact
def count(t): return F(t.n11)
@exact
def coverage(t): return t.p1x
@exact
def rhsSupport(t): return t.px1
@exact
def n10(t): return F(t.n10)
@exact
def n01(t): return F(t.n01)
@exact
def n00(t): return F(t.n00)
@exact
def reverseConfidence(t): return over(t.n11, t.nx1)
@exact
def representativity(_): return F(1)


# ---- confidence, against what is expected -------------------------------------------------------------

@exact
def leverage(t): return t.p11 - t.p1x * t.px1


@exact
@body
def conviction(t): return INF if t.n10 == 0 else t.px0 / (1 - conf(t))


@exact
def zhang(t):
    return over(t.p11 - t.p1x * t.px1, max(t.p11 * (1 - t.p1x), t.p1x * (t.px1 - t.p11)), 0)


@exact
@body
def certainty(t): return over(conf(t) - t.px1, 1 - t.px1, 0)


@exact
@body
def certaintyFactor(t):
    up = conf(t) - t.px1
    return over(up, 1 - t.px1 if up > 0 else t.px1, 0)


@exact
@body
def addedValue(t): return conf(t) - t.px1


@exact
@body
def confidenceDifference(t): return abs(conf(t) - t.px1)


@exact
@body
def doc(t): return conf(t) - F(t.n01, t.n0x) if t.n0x else 0


@exact
@body
def relativeRisk(t):
    return over(conf(t), F(t.n01, t.n0x), 1) if t.n0x else 1


@near
@body
def logRelativeRisk(t):
    risk = relativeRisk(t)
    return risk if risk == INF else -INF if risk == 0 else dec(risk).ln() / Decimal(2).ln()


@near
def importance(t):
    return dec(F(t.n11 + 1, t.n1x + 2) / F(t.n01 + 1, t.n0x + 2)).log10()


@exact
def oddsRatio(t): return over(t.p11 * t.p00, t.p10 * t.p01, 1)


@exact
def yuleQ(t):
    odds = oddsRatio(t)
    return 1 if odds == INF else (odds - 1) / (odds + 1)


@near
def yuleY(t):
    odds = oddsRatio(t)
    return 1 if odds == INF else (dec(F(odds)).sqrt() - 1) / (dec(F(odds)).sqrt() + 1)


@exact
def varyingLiaison(t): return lift(t) - 1
@exact
def liftDistance(t): return abs(lift(t) - 1)


def quotient(x):
    return NAN if x != x else 1 if x in (0, INF) else 1 - min(F(x), 1 / F(x))


@exact
def liftQuotient(t): return quotient(lift(t))
@exact
def convictionDistance(t): return abs(conviction(t) - 1)
@exact
def convictionQuotient(t): return quotient(conviction(t))
@exact
def laplace(t): return F(t.n11 + 1, t.n1x + 2)
@exact
def sebag(t): return over(t.p11, t.p10)
@exact
def counterexample(t): return over(t.n11 - t.n10, t.n11)
@exact
def confirmedConfidence(t): return over(t.n11 - t.n10, t.n1x)


@exact
@body
def casualConfidence(t): return (conf(t) + F(t.n00, t.n0x)) / 2 if t.n0x else NAN


@exact
def casualSupport(t): return t.p11 + t.p00
@exact
def leastContradiction(t): return over(t.p11 - t.p10, t.px1)
@exact
def ralambondrainy(t): return t.p10


@exact
@body
def rulePowerFactor(t): return t.p11 * conf(t)


@near
@body
def klosgen(t): return dec(t.p11).sqrt() * dec(conf(t) - t.px1)


@exact
def strength(t): return over(t.nx1, t.n1x)


# ---- how alike ----------------------------------------------------------------------------------------

@exact
def jaccard(t): return over(t.p11, t.p1x + t.px1 - t.p11)
@near
def cosine(t): return dec(t.p11) / dec(t.p1x * t.px1).sqrt() if t.n1x and t.nx1 else NAN
@exact
def kulczynski(t): return (conf(t) + F(t.n11, t.nx1)) / 2 if t.n1x and t.nx1 else NAN
@exact
def maxconfidence(t): return max(conf(t), F(t.n11, t.nx1)) if t.n1x and t.nx1 else NAN
@exact
def imbalance(t): return over(abs(t.p1x - t.px1), t.p1x + t.px1 - t.p11)


@near
def phi(t):
    if t.constant:
        return 0
    return dec(t.p11 - t.p1x * t.px1) / dec(t.p1x * t.px1 * t.p0x * t.px0).sqrt()


@exact
def kappa(t):
    chance = t.p1x * t.px1 + t.p0x * t.px0
    return over(t.p11 + t.p00 - chance, 1 - chance, 0)


@near
def collectiveStrength(t):
    bad, expected = t.p10 + t.p01, t.p1x * t.px0 + t.p0x * t.px1
    if expected in (0, 1):
        return 1
    return INF if bad == 0 else (1 - bad) / (1 - expected) * expected / bad


@exact
def lambda_(t):
    guess = max(t.px1, t.px0)
    return over(max(t.p11, t.p10) + max(t.p01, t.p00) - guess, 1 - guess, 0)


EXACT["lambda"] = EXACT.pop("lambda_")


@near
def lerman(t):
    expected = t.p1x * t.px1 * t.n
    return dec(t.n11 - expected) / dec(expected).sqrt() if expected else 0


@near
def implicationIndex(t):
    expected = t.p1x * t.px0 * t.n
    return dec(t.n10 - expected) / dec(expected).sqrt() if expected else 0


@exact
def stdLift(t):
    if t.n1x == 0 or t.nx1 == 0:
        return 0
    low = max(t.p1x + t.px1 - 1, F(1, t.n)) / (t.p1x * t.px1)
    high = 1 / max(t.p1x, t.px1)
    return over(lift(t) - low, high - low, 1) if lift(t) >= low else 0


@exact
def RLD(t):
    d = F(t.n11 * t.n00 - t.n10 * t.n01, t.n)
    return over(d, d + min(t.n10, t.n01), 0) if d > 0 else over(d, d - min(t.n11, t.n00), 0)


# ---- information --------------------------------------------------------------------------------------

@cache
def log_of(x):
    return dec(x).ln()


def log_term(p, expected):
    """p log(p / expected)"""
    return dec(p) * log_of(p / expected) if p else Decimal(0)


def mutual(t):
    return (log_term(t.p11, t.p1x * t.px1) + log_term(t.p10, t.p1x * t.px0) +
            log_term(t.p01, t.p0x * t.px1) + log_term(t.p00, t.p0x * t.px0))


def entropy(p):
    return -log_term(p, F(1)) - log_term(1 - p, F(1))


@near
def gini(t):
    def pure(a, b):
        return F(a * a + b * b, (a + b) ** 2) if a + b else 0
    return t.p1x * pure(t.n11, t.n10) + t.p0x * pure(t.n01, t.n00) - t.px1 ** 2 - t.px0 ** 2


@near
def informationGain(t): return mutual(t) / Decimal(2).ln()


@near
def mutualInformation(t):
    return 0 if t.constant else mutual(t) / min(entropy(t.p1x), entropy(t.px1))


@near
def jMeasure(t):
    return log_term(t.p11, t.p1x * t.px1) + log_term(t.p10, t.p1x * t.px0)


# ---- tests --------------------------------------------------------------------------------------------

@near
def chiSquared(t):
    if t.constant:
        return 0
    cells = ((t.n11, t.p1x * t.px1), (t.n10, t.p1x * t.px0), (t.n01, t.p0x * t.px1), (t.n00, t.p0x * t.px0))
    return sum((seen - share * t.n) ** 2 / (share * t.n) for seen, share in cells)


@near
def chiSquaredShare(t): return F(chiSquared(t)) / t.n


@near
def yates(t):
    if t.constant:
        return 0
    off = max(0, abs(t.n11 * t.n00 - t.n10 * t.n01) - F(t.n, 2))
    return t.n * off ** 2 / (t.n1x * t.n0x * t.nx1 * t.nx0)


@near
def yatesShare(t): return F(yates(t)) / t.n
@near
def gTest(t): return 2 * t.n * mutual(t)


def erfc(z):
    """Decimal; the series for what is near, the continued fraction for what is far."""
    with localcontext() as context:
        context.prec = 120
        root_pi = Decimal("1.77245385090551602729816748334114518279754945612238712821380778985291128459103218137495065674"
                          "0")
        if z < 7:
            term, total, k = z, z, 0
            while abs(term) > Decimal(10) ** -110:
                k += 1
                term = -term * z * z / k
                total += term / (2 * k + 1)
            return 1 - 2 * total / root_pi
        fraction = Decimal(0)
        for k in range(400, 0, -1):
            fraction = Decimal(k) / 2 / (z + fraction)
        return (-z * z).exp() / root_pi / (z + fraction)


def chi_p(x):
    return erfc((dec(x) / 2).sqrt())


@p_value
def chiSquaredP(t): return chi_p(chiSquared(t))
@p_value
def yatesP(t): return chi_p(yates(t))
@p_value
def gTestP(t): return chi_p(max(Decimal(0), gTest(t)))
@p_value
def fisher(t): return t.share(lambda k: k >= t.n11)
@p_value
def fisherTwoSided(t): return t.share(lambda k: t.weight(k) <= t.weight(t.n11))
@p_value
def fisherChiSquared(t): return t.share(lambda k: chiSquared(t.at(k)) >= chiSquared(t))


@p_value
def fisherInformation(t):
    least = mutual(t) * (1 - Decimal(10) ** -40) - Decimal(10) ** -50
    return t.share(lambda k: mutual(t.at(k)) >= least)


@p_value
def hyperConfidence(t): return t.share(lambda k: k < t.n11)


@p_value
def minusLog10P(t):
    p = fisher(t)
    return Decimal(p.denominator).log10() - Decimal(p.numerator).log10()


@exact
def hyperLift(t):
    q = next(k for k in range(t.least(), t.most() + 1) if t.share(lambda x: x <= k) >= F(99, 100))
    return over(t.n11, q)
