#!/usr/bin/env bash
# bare_root.sh - runs ./dev demo and ./dev test in a bare Debian root, before a release (not in CI)
#
# usage: tools/bare_root.sh [FILTER]
#        tools/bare_root.sh --in FOLDER COMMAND...
#        tools/bare_root.sh --tar FILE
#
# Makes a minimal root with debootstrap and the package sources of this machine, copies the sources
# into it without .git and build outputs, like an archive, and runs `./dev demo` and `./dev test
# [FILTER]` there, which must install what they need by themselves. With --in, copies FOLDER instead,
# and runs COMMAND in the copy; with --tar, only writes the root to FILE. Needs root rights, debootstrap
# and some minutes. The root is in a temporary folder (TMPDIR), which is removed at the end. JOBS
# limits the number of processors (default: all). LODE_ROOT="ADDRESS RELEASE" names another archive of
# packages, such as Ubuntu's.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { printf 'bare_root: %s\n' "$*" >&2; exit 1; }

[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '2,/^# SPDX/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 0; }
[[ $(id -u) == 0 ]] || die "needs root"
command -v debootstrap >/dev/null || die "needs debootstrap: apt-get install debootstrap"

folder=. command=()
if [[ ${1:-} == --in ]]; then
    (($# > 2)) || die "expected --in FOLDER COMMAND"
    folder=$2 command=("${@:3}")
elif [[ ${1:-} == --tar ]]; then
    (($# == 2)) || die "expected --tar FILE"
fi

# The first archive of packages that apt is configured with here: "ADDRESS RELEASE".
read -r mirror release < <(if [[ ${LODE_ROOT:-} ]]; then echo "$LODE_ROOT"; else
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$3 == "main" && $2 !~ /-/ { print $1, $2; exit }'
fi) || die "apt has no package sources with the component main; run apt-get update"
# Old versions of debootstrap do not know new releases of Ubuntu, which are all made alike.
kind=()
[[ -e /usr/share/debootstrap/scripts/$release ]] || kind=(gutsy)

root=$(mktemp -d)
chmod 755 "$root" # it is the folder / of other users, too
mounted=()

clean_up() {
    local i
    for ((i = ${#mounted[@]} - 1; i >= 0; i--)); do umount -l "${mounted[i]}" || true; done
    # Nothing of the machine may still be mounted below what is removed.
    if grep -q " $root/" /proc/mounts; then die "still mounted: $root"; fi
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT

mount_into() { # TYPE SOURCE PLACE OPTIONS
    mount -t "$1" -o "$4" "$2" "$root/$3"
    mounted+=("$root/$3")
}

echo "== a bare $release in $root"
debootstrap --variant=minbase "$release" "$root" "$mirror" "${kind[@]}" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; rm -f "$root.log"; die "debootstrap failed"; }
rm -f "$root.log"
if [[ ${1:-} == --tar ]]; then
    chroot "$root" apt-get clean
    tar -c --numeric-owner -C "$root" . >"$2"
    exit
fi
mount_into proc proc proc defaults
mount_into tmpfs tmpfs dev mode=755
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/hosts "$root/etc/hosts"

mkdir -p "$root/lode"
tar -c -C "$folder" --exclude=./.git --exclude=./build --exclude=__pycache__ . | tar -x -C "$root/lode"

# run COMMAND...: in the root, with nothing of the environment here.
run() {
    local limit=()
    [[ -z ${JOBS:-} ]] || limit=(taskset -c "0-$((JOBS - 1))")
    printf '\n== %s\n' "$*"
    local start=$SECONDS
    "${limit[@]}" chroot "$root" env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        bash -c 'cd /lode && "$@"' bash "$@" </dev/null || die "$* failed"
    printf '== %s: %d s\n' "$*" $((SECONDS - start))
}

! chroot "$root" sh -c 'command -v git || command -v python3' || die "the root is not bare"
if ((${#command[@]})); then
    run "${command[@]}"
    exit
fi
run ./dev demo
run ./dev test "$@"
echo "bare_root: both commands work in a bare $release"
