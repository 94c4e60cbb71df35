#!/usr/bin/env bash
# Runs go commands for linux/arm64, whose tests QEMU runs where the processor is another one. The QEMU of the machine is used,
# or that of Debian's package qemu-user-static, which is fetched once and not installed.
#   tools/arm64.sh with COMMAND…    runs the command
#   tools/arm64.sh lacks            prints what this machine lacks for that
set -euo pipefail
cd "$(dirname "$0")/.."
cache=$PWD/.cache/qemu
again=$PWD/tools/again.sh

qemu() { command -v qemu-aarch64-static || command -v qemu-aarch64 || ls "$cache/usr/bin/qemu-aarch64-static" 2>/dev/null; }

# fetch unpacks the program. apt-get keeps its lists in the cache, so that it needs no rights.
fetch() {
    command -v apt-get >/dev/null || return 1
    mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial"
    local apt=(apt-get -qq -o "Dir::State::lists=$cache/apt/lists" -o "Dir::Cache=$cache/apt" -o APT::Sandbox::User=root)
    "$again" "${apt[@]}" update &&
        (cd "$cache/apt" && "$again" "${apt[@]}" download qemu-user-static && dpkg-deb --fsys-tarfile qemu-user-static_*.deb) |
            tar -xC "$cache" ./usr/bin/qemu-aarch64-static &&
        rm -rf "$cache/apt"
}

native() { [ "$(uname -sm)" = "Linux aarch64" ]; }

case ${1:-} in
lacks)
    native || qemu >/dev/null || fetch >&2 || echo "install qemu-user-static"
    ;;
with)
    if ! native; then
        qemu >/dev/null || fetch || { echo "install qemu-user-static" >&2; exit 1; }
        mkdir -p "$cache/bin"
        ln -sf "$(qemu)" "$cache/bin/go_linux_arm64_exec" # go test runs its tests by the program of this name
        export PATH="$cache/bin:$PATH"
    fi
    shift
    GOOS=linux GOARCH=arm64 exec "$@"
    ;;
*)
    sed -n '2,5p' "$0" >&2
    exit 2
    ;;
esac
