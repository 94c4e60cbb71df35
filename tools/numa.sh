#!/usr/bin/env bash
# Runs the tests with the build tag numa on a machine with two NUMA nodes of two processors each, which QEMU emulates. Its kernel
# and QEMU, if this machine has no qemu-system-x86_64, are those of Debian's packages. They are fetched once and not installed.
#   tools/numa.sh test     runs them, and compares the bits of training with those of this machine
#   tools/numa.sh lacks    prints what this machine lacks for that
set -euo pipefail
cd "$(dirname "$0")/.."
cache=$PWD/.cache/numa
again=$PWD/tools/again.sh
kernel() { ls "$cache"/boot/vmlinuz-* 2>/dev/null | tail -n 1; }
own() { [ -x "$cache/usr/bin/qemu-system-x86_64" ]; }
has() { [ -n "$(kernel)" ] && { own || command -v qemu-system-x86_64 >/dev/null; }; }

# fetch unpacks the programs. apt-get keeps its lists in the cache, so that it needs no rights.
fetch() {
    command -v apt-get >/dev/null && [ "$(dpkg --print-architecture)" = amd64 ] || return 1
    local temporary=$cache/apt
    mkdir -p "$temporary/lists/partial" "$temporary/archives/partial"
    local apt=(apt-get -qq -o "Dir::State::lists=$temporary/lists" -o "Dir::Cache=$temporary" -o APT::Sandbox::User=root)
    "$again" "${apt[@]}" update || return 1
    local wanted packages
    wanted=$(apt-cache -o "Dir::State::lists=$temporary/lists" -o "Dir::Cache=$temporary" depends linux-image-cloud-amd64 |
        sed -n 's/^ *Depends: //p') || return 1
    [ -n "$wanted" ] || return 1
    if ! command -v qemu-system-x86_64 >/dev/null; then # with the libraries that this machine lacks
        packages=$("${apt[@]}" -o Debug::NoLocking=1 install --no-install-recommends --print-uris qemu-system-x86) || return 1
        wanted+=" "$(sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" <<<"$packages")
    fi
    # shellcheck disable=SC2086
    (cd "$temporary" && "$again" "${apt[@]}" download $wanted) || return 1
    local package
    for package in "$temporary"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -xC "$cache" --exclude ./usr/share/doc --exclude ./lib/modules || return 1
    done
    rm -rf "$temporary"
}

# emulate starts the machine. The console is its only device.
emulate() {
    local qemu=(qemu-system-x86_64)
    if own; then
        local libraries=$cache/usr/lib/x86_64-linux-gnu:$cache/lib/x86_64-linux-gnu
        qemu=(env "LD_LIBRARY_PATH=$libraries" "$cache/usr/bin/qemu-system-x86_64" -L "$cache/usr/share/qemu" -L "$cache/usr/share/seabios")
    fi
    "${qemu[@]}" -M pc,accel=tcg -cpu max -smp 4 -m 1536 -nodefaults -no-reboot -display none -serial stdio \
        -object memory-backend-ram,id=m0,size=768M -object memory-backend-ram,id=m1,size=768M \
        -numa node,cpus=0-1,memdev=m0 -numa node,cpus=2-3,memdev=m1 \
        -kernel "$(kernel)" -initrd "$1" -append "console=ttyS0 quiet panic=-1" </dev/null
}

case ${1:-} in
lacks)
    has || fetch >&2 || echo "install apt-get of Debian for amd64, which fetches QEMU and a kernel"
    ;;
test)
    has || fetch || { echo "numa.sh: QEMU and a kernel can't be fetched: this needs apt-get of Debian for amd64" >&2; exit 1; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    go=${GO:-go}
    export CGO_ENABLED=0 # the machine has no libraries
    mkdir "$work/files"
    $go test -c -vet=off -ldflags=-w -tags numa -o "$work/files/" ./internal/numa ./internal/cpu ./distributed
    $go build -o "$work/guest" ./internal/numa/guest
    # A process that has settled on a node stays there: each test has one of its own.
    for test in numa/Interleave cpu/Spread cpu/Settled distributed/OfWorkers distributed/Bits; do
        echo "/${test%/*}.test -test.run ^TestNodes${test#*/}\$ -test.v"
    done >"$work/files/commands"
    (cd distributed && "$work/files/distributed.test" -test.run '^TestNodesBits$') >"$work/here"
    "$work/guest" pack "$work"/files/* >"$work/archive"
    emulate "$work/archive" | tr -d '\r' | tee "$work/there"
    grep -qx passed "$work/there"
    grep -qxF "$(grep '^bits ' "$work/here")" "$work/there" || { echo "here other bits come out: $(grep '^bits ' "$work/here")" >&2; exit 1; }
    ;;
*)
    sed -n '2,5p' "$0" >&2
    exit 2
    ;;
esac
