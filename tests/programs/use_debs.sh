#!/bin/sh
# use_debs.sh - installs packages in a bare root, uses them, removes them; test_packages.py runs it
#
# In a folder with all .deb files, the wheel, the examples, example.py of docs/python.md and golden,
# what `lode itemsets --count` must print. With `foreign`, as in a root of Ubuntu, only the packages
# lode and the wheel are used.
# SPDX-License-Identifier: Apache-2.0
set -eux
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -qq --no-install-recommends "$@" >/dev/null; }
# golden LODE...: the command finds what it must find
golden() { "$@" itemsets baskets.csv -s 1% --count --hash -q | cmp - golden; }

[ "${1:-}" != foreign ] || sed -i 's/ main$/ main universe/' /etc/apt/sources.list
apt-get update -qq

# ---- the command alone, in a root without anything else
install ./lode_*.deb
lode demo -o baskets.csv | grep 'lift\|as often as expected'
golden lode

# ---- the wheel, in a virtual environment that uses the packages of the system
install python3-venv python3-numpy
python3 -m venv --system-site-packages venv
venv/bin/pip install -q --no-index --disable-pip-version-check ./*.whl
venv/bin/python example.py | grep milk
golden venv/bin/lode
[ "${1:-}" != foreign ] || exit 0

# ---- all others
install ./*.deb gcc libc6-dev pkgconf curl
python3 example.py | grep milk
# shellcheck disable=SC2046
cc examples/from_arrays.c $(pkg-config --cflags --libs lode) -o shared
./shared | grep '2 3 (2)'
# shellcheck disable=SC2046
cc examples/from_arrays.c $(pkg-config --cflags --libs lode-static) -o static
./static | grep '2 3 (2)'
mpirun --allow-run-as-root --oversubscribe -n 2 lode-mpi itemsets baskets.csv -s 1% -q -o found
test "$(wc -l <found)" = "$(sed -n 's/^total //p' golden)"

# ---- the server: off, and then as the service would start it, under another user
test ! -e /etc/systemd/system/multi-user.target.wants/lode-server.service
data=/var/lib/lode-server
socket=/run/lode-test/http
mkdir -m 700 "$data" "${socket%/*}"
chown nobody "$data" "${socket%/*}"
# shellcheck disable=SC2046
setpriv --reuid=nobody --clear-groups $(sed -n 's/^ExecStart=//p' /lib/systemd/system/lode-server.service) \
    --socket "$socket" --token 0123456789abcdef &
server=$!
about() {
    curl -sf --unix-socket "$socket" -H 'Authorization: Bearer 0123456789abcdef' \
        http://127.0.0.1/api/v1/about
}
for _ in $(seq 100); do
    if about >about.json; then break; fi
    sleep 0.1
done
grep '"version"' about.json
kill "$server"
wait "$server"

# ---- purge: what is in the data folder stays
echo mine >"$data/mine.txt"
apt-get purge -qq lode lode-server lode-mpi liblode0.1 liblode-dev python3-lode >/dev/null
test ! -e /usr/bin/lode
test ! -e /usr/lib/python3/dist-packages/lode
test ! -e /lib/systemd/system/lode-server.service
grep mine "$data/mine.txt"
test -s "$data/lode.folder"
