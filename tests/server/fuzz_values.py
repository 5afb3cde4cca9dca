"""What tests/server/fuzz_http.py sends: hostile values, JSON, raw requests and files, all of them from a
given random.Random, so that a seed brings the same ones back.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import struct
from urllib.parse import quote

HOST = b"Host: 127.0.0.1\r\n"
NUMBERS = ["0", "1", "2", "-1", "3.7", "50%", "1%", "0%", "100%", "101%", "1e308", "1e-308", "nan", "inf",
           "-inf", "0x10", "1/3", "18446744073709551615", "18446744073709551616", "9" * 40, "1k", "1G", "+5"]
REGEXES = ["a", ".*", "(", "[", "*", "a{1,99999}", "((a{1,200}){1,200}){1,200}", "(a*)*b", "(a|aa)+$", "^" * 5000,
           "(" * 3000, "[[:alpha:]]+", "[z-a]", "\\", "\\1", "(x)\\1", "a|" * 4000, "[^\n]", ".{0,255}.{0,255}b"]
NAMES = ["", " ", "<script>alert(1)</script>", "'; DROP TABLE jobs; --", '"', "\\", "a,b", "a b", "\n", "\r\n",
         "\x01\x7f", "\u202eabc", "\U0001F34E", "\ufeff", "%s%n%p", "@", "a" * 300, "x" * 70000, "-", "--help", "$(id)",
         "`id`", "a=b", "a\tb", "é", "\u0000"]


def names_of_files(place):
    """Names that must never reach a file system. `place`: a folder that is not the server's."""
    return [f"@{place}/secret", f"{place}/made", f"../../{place.name}/made", "../" * 9 + f"{place}/made",
            f"file://{place}/secret", f"{place}/secret", "/etc/passwd", "@/etc/passwd", "..", "CON", "~/made",
            f"a @{place}/secret", f"\\@{place}/secret", f"|{place}/made", f"{place}/made.csv"]


class Values:
    """Random values. `words` are what the server's own tables say: names, measures, algorithms."""

    def __init__(self, rng, place, words=()):
        self.rng, self.words = rng, list(words) or ["lift"]
        self.files = names_of_files(place)

    def text(self):
        pool = self.rng.choice((NUMBERS, NAMES, REGEXES, self.files, self.words))
        value = self.rng.choice(pool)
        if self.rng.random() < 0.2:
            value += self.rng.choice(("=", ",", ":", " ", "", "\\")) + self.rng.choice(NUMBERS)
        return value

    def any(self, depth=0):
        """Any JSON value."""
        kind = self.rng.randrange(12)
        if kind < 5 or depth > 3:
            return self.text()
        if kind < 8:
            return self.rng.choice((0, 1, -1, 2 ** 31, 2 ** 63, 2 ** 64, 10 ** 400, 1.5, 1e308, -0.0, 2 ** 53 + 1))
        if kind < 9:
            return self.rng.choice((None, True, False))
        if kind < 11:
            return [self.any(depth + 1) for _ in range(self.rng.randrange(5))]
        return {self.text(): self.any(depth + 1) for _ in range(self.rng.randrange(4))}

    def change(self, value):
        """A valid value, with something wrong somewhere, mostly."""
        chance = self.rng.random()
        if chance < 0.15:
            return self.any()
        if isinstance(value, dict):
            changed = {name: self.change(inner) if self.rng.random() < 0.4 else inner
                       for name, inner in value.items() if self.rng.random() > 0.05}
            if chance > 0.85:
                changed[self.text()] = self.any()
            return changed
        if isinstance(value, list):
            return [self.change(inner) for inner in value] * self.rng.choice((1, 1, 2, 200))
        return value if chance < 0.6 else self.any()

    def body(self, value):
        """JSON as bytes, sometimes broken."""
        chance = self.rng.random()
        if chance < 0.04:
            return self.rng.choice((b'{"a":' * 5000, b"[" * 200000, b'{"options":' + b"[" * 2000 + b"]" * 2000 + b"}"))
        if chance < 0.07:
            return b'{"name":"a","name":"b","bytes":1e999999999}'
        data = json.dumps(value, ensure_ascii=self.rng.random() < 0.5).encode("utf-8", "surrogatepass")
        return self.damage(data) if chance < 0.2 else data

    def damage(self, data, times=3):
        """Bytes that were turned, cut, doubled or put in."""
        data = bytearray(data)
        for _ in range(self.rng.randrange(1, times + 1)):
            at = self.rng.randrange(len(data) + 1)
            what = self.rng.randrange(5)
            if what == 0 and data:
                data[at % len(data)] = self.rng.randrange(256)
            elif what == 1:
                del data[at:at + self.rng.randrange(1, 40)]
            elif what == 2:
                data[at:at] = self.rng.choice((b"\0", b"\xff\xfe", b"\xc0\x80", b"\xed\xa0\x80", b"\n", b"\"", b"9" * 50))
            elif what == 3:
                data[at:at] = data[at:at + 200]
            else:
                data = data[:at]
        return bytes(data)

    def query(self, names):
        """A query of some of these parameters, and sometimes of others."""
        pairs = []
        for _ in range(self.rng.randrange(6)):
            name = self.rng.choice(names) if names and self.rng.random() < 0.9 else self.text()
            value = self.text()
            if name in ("min", "max") and self.rng.random() < 0.7:
                value = f"{self.rng.choice(self.words)}={self.rng.choice(NUMBERS)}"
            escaped = quote(value, safe="") if self.rng.random() < 0.95 else "%zz%ff%00%c0%80"
            pairs.append(f"{quote(name, safe='')}={escaped}")
        return ("?" + "&".join(pairs))[:9000] if pairs else ""


# ---- raw requests ---------------------------------------------------------------------------------


def _lengths(rng, inner):
    """(headers, body) that two readers could read in two ways, or that break in the middle."""
    chunked = b"Transfer-Encoding: chunked\r\n"
    chunks = [b"2\r\n{}\r\n0\r\n\r\n", b"2;x=\"\r\n\"\r\n{}\r\n0\r\n\r\n", b"FFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n",
              b"2\n{}\n0\n\n", b"0x2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"2\r\n{", b"\r\n\r\n", b"7fffffff\r\n{}", b"+2\r\n{}\r\n0\r\n\r\n",
              b"0\r\nTrailer: x\r\n\r\n", b"2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n", b"1" * 5000 + b"\r\n", b"2\r\n{}\r\n" * 3000]
    return rng.choice([
        (b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}" + inner),
        (b"Content-Length: 2\r\nContent-Length: %d\r\n" % len(inner), b"{}" + inner),
        (b"Content-Length: %s\r\n" % rng.choice((b"+2", b"-2", b"2 2", b"0x2", b"2,2", b"", b"2\x0b", b"1e1", b"99999999999999999999")),
         b"{}" + inner),
        (chunked, rng.choice(chunks) + inner),
        (chunked + b"Content-Length: 2\r\n", rng.choice(chunks) + inner),
        (b"Content-Length: 2\r\n" + chunked, rng.choice(chunks) + inner),
        (b"Transfer-Encoding: %s\r\n" % rng.choice((b"xchunked", b"chunked, chunked", b"gzip, chunked", b"\x0bchunked", b"identity", b"")),
         rng.choice(chunks) + inner),
        (b"Transfer-Encoding : chunked\r\nContent-Length: 2\r\n", b"{}" + inner),
        (b"Content-Length: 2\r\n Content-Length: 50\r\n", b"{}" + inner),
        (b"Content_Length: 50\r\nContent-Length:2\r\nContent-Length\t: 9\r\n", b"{}" + inner)])


def _traversal(rng, place):
    step = rng.choice(("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..\\", "..%5c", "%252e%252e%252f", "..%c0%af", "%c0%ae%c0%ae/",
                       "....//", "..;/", "..%00/", "\u002e\u002e/", "..%u2216"))
    start = rng.choice(("/", "/assets/", "/api/v1/", "/api/v1/jobs/", "/api/v1/datasets/1/", "//"))
    return (start + step * rng.randrange(1, 12) + rng.choice((str(place).lstrip("/") + "/secret", "etc/passwd", "lode.sqlite",
                                                              "datasets/1.data"))).encode()


def raw_request(values, place):
    """(bytes, most answers). A request that is wrong in the way of HTTP itself."""
    rng = values.rng
    inner = b"GET /api/v1/about HTTP/1.1\r\n" + HOST + b"\r\n"
    kind = rng.randrange(12)
    if kind == 0:  # request lines
        line = rng.choice((b"GET", b"GET /", b"GET  / HTTP/1.1", b"GET / HTTP/9.9", b"GET / HTTP/1.1 x", b"\0 / HTTP/1.1", b"G\0T / HTTP/1.1",
                           b"GET /\0 HTTP/1.1", b"GET / HTTP/1.", b"GET / http/1.1", b"GET http://[::1/ HTTP/1.1", b"PRI * HTTP/2.0",
                           b"CONNECT a:1 HTTP/1.1", b"TRACE / HTTP/1.1", b"\x16\x03\x01\x02\x00\x01", b"GET /" + b"a" * rng.choice((9000, 70000)) + b" HTTP/1.1",
                           b" GET / HTTP/1.1", b"\r\n\r\n\r\nGET / HTTP/1.1", b"GET /?" + b"&" * 3000 + b" HTTP/1.1", b"GET /%" + b" HTTP/1.1"))
        return line + b"\r\n" + HOST + b"\r\n", 2
    if kind == 1:  # headers
        header = rng.choice((b"X" * 70000 + b": a", b"X: " + b"a" * 70000, b"X: a\r\n" * 3000 + b"Y: b", b": a", b"X", b"X y: a", b"X: \0", b"X: a\rb",
                             b"X: a\n y", b" X: a", b"X: \xff\xfe", b"Cookie: " + b"a=b;" * 3000, b"Range: bytes=0-,1-,2-", b"Expect: 100-continue",
                             b"Expect: x", b"Connection: close, keep-alive, upgrade\r\nUpgrade: h2c", b"Authorization: Bearer " + b"x" * 9000,
                             b"If-None-Match: \"" + b"x" * 900, b"Accept-Encoding: gzip;q=nan,*;q=-1", b"Last-Event-ID: -1"))
        return b"GET / HTTP/1.1\r\n" + HOST + header + b"\r\n\r\n", 1
    if kind == 2:  # line ends
        end = rng.choice((b"\n", b"\r", b"\r\r\n", b"\n\r", b"\0\r\n", b"\x0b\r\n", b"\x85"))
        return inner.replace(b"\r\n", end), 1
    if kind in (3, 4, 5):  # lengths, smuggling
        headers, body = _lengths(rng, inner)
        method = rng.choice((b"POST /api/v1/login", b"PUT /api/v1/datasets/1/content?offset=0", b"GET /api/v1/about", b"DELETE /api/v1/jobs/999"))
        return method + b" HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n" + headers + b"\r\n" + body, 1
    if kind == 6:  # many in one go
        n = rng.randrange(2, 60)
        return inner * n, n
    if kind == 7:  # compressed bodies
        data = gzip.compress(b"{" + b" " * 4000000 + b"}", 9)
        return (b"POST /api/v1/views HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Encoding: "
                + rng.choice((b"gzip", b"deflate", b"br", b"zstd", b"identity, gzip")) + b"\r\nContent-Length: %d\r\n\r\n" % len(data) + data), 1
    if kind == 8:  # whose page
        header = rng.choice((b"Host: evil.example", b"Host: 127.0.0.1\r\nOrigin: http://evil.example", b"Host: 127.0.0.1\r\nOrigin: null",
                             b"Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site", b"Host: [::1", b"Host:", b"Host: " + b"a" * 5000, b"Host: a\r\nHost: b",
                             b"Host: [" + b":" * 300 + b"]", b"Host: 127.0.0.1:99999999999", b"Host: ]", b"Host: []", b"Host: [", b"Host: \xff"))
        return rng.choice((b"GET /api/v1/datasets", b"DELETE /api/v1/datasets/1", b"POST /api/v1/views")) + b" HTTP/1.1\r\n" + header + b"\r\n\r\n", 1
    if kind == 9:
        return b"GET " + _traversal(rng, place) + b" HTTP/1.1\r\n" + HOST + b"\r\n", 1
    if kind == 10:  # noise
        return rng.randbytes(rng.randrange(1, 5000)), 1
    return values.damage(inner, 6), 3  # a line that was doubled may make two of one


# ---- files ----------------------------------------------------------------------------------------


def table(rng):
    lines = ["Order ID,Product,Price"]
    lines += [f"{i // 3},{rng.choice(('milk', 'bread', 'tea', f'x{rng.randrange(30)}'))},{i}" for i in range(300)]
    return "\n".join(lines).encode()


def baskets(rng):
    return "\n".join(" ".join(str(rng.randrange(12)) for _ in range(rng.randrange(9))) for _ in range(200)).encode()


def documents(rng):
    return json.dumps([{"id": i, "items": [f"n{rng.randrange(9)}" for _ in range(4)]} for i in range(80)]).encode()


def graphs(rng):
    lines = []
    for number in range(30):
        n = rng.randrange(2, 9)
        lines.append(f"t # {number}")
        lines += [f"v {i} {rng.choice('CNO')}" for i in range(n)]
        lines += [f"e {i} {i + 1} {rng.randrange(3)}" for i in range(n - 1)]
    return "\n".join(lines).encode()


def hostile_names(rng):
    names = [name.replace("\n", "").replace("\r", "").replace("\0", "").replace('"', '""') for name in NAMES]
    lines = [",".join(f'"{name}"' for name in rng.sample(names, 5)) for _ in range(60)]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def zstd_bomb(blocks, byte=b"a"):
    """A zstd frame of blocks that are 128 KiB of one byte each: 4 bytes for each."""
    head = struct.pack("<I", 0xFD2FB528) + b"\x00\x38"
    middle = (((128 << 10) << 3) | 2).to_bytes(3, "little") + byte
    last = (((128 << 10) << 3) | 3).to_bytes(3, "little") + byte
    return head + middle * (blocks - 1) + last


def gzip_bomb(megabytes, rng):
    line = rng.choice((b"1 2 3\n", b"a,b\n", b"a", b"\n", b"\0", b'[[["'))
    return gzip.compress(line * ((megabytes << 20) // len(line)), 9)


def hostile_file(values, large):
    """Bytes of a data file. `large`: bombs and lines of megabytes may be among them."""
    rng = values.rng
    valid = rng.choice((table, baskets, documents, graphs, hostile_names))(rng)
    kind = rng.randrange(10 if large else 6)
    if kind < 2:
        return valid
    if kind < 4:
        return values.damage(valid, 12)
    if kind == 4:
        packed = gzip.compress(valid)
        return rng.choice((values.damage(packed), packed + packed, packed[:-4], packed + b"x", gzip.compress(packed)))
    if kind == 5:
        return rng.choice((b"", b"\0", b"\xef\xbb\xbf", rng.randbytes(rng.randrange(5000)), b"\n" * 5000, b'"' * 999, b"[" * 50000,
                           b"t # 0\n" * 500, b"t # 0\nv 0 C\ne 0 0 1\ne 0 9 1\n", b"v 0 C\nt # 0\n", b"sep=;\n", b"@CONVERTED_FROM_TEXT\n@ITEM=1=a\n1 2\n",
                           b'{"items":[' * 3000, zstd_bomb(2)[:9], b"1 " * 3000, b"99999999999999999999999999 1\n" * 5))
    if kind == 6:
        return zstd_bomb(rng.randrange(10, 1500), rng.choice((b"a", b"\n", b" ", b"1", b",", b"\0")))
    if kind == 7:
        return gzip_bomb(rng.randrange(1, 60), rng)
    if kind == 8:
        return rng.choice((b"a" * (10 << 20), b"a " * (5 << 20), b"1," * (5 << 20), b'"' + b"x" * (10 << 20), b"1 2\n" + b"7" * (10 << 20)))
    return b"\n".join(b" ".join(b"i%d" % rng.randrange(20000) for _ in range(40)) for _ in range(2000))
