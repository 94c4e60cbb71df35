#!/usr/bin/env bash
# Packages of PyPI for the tests. One pip in .cache/pip serves all of them: each of its own would cost seconds.
#
#   tools/python.sh make DIR PACKAGE…  makes DIR a Python environment with the packages, unless it has them already
#   tools/python.sh pip ARGUMENT…      runs pip, again if it fails
set -euo pipefail
cd "$(dirname "$0")/.."
pip=$PWD/.cache/pip

fail() { echo "python.sh: $*" >&2; exit 1; }

pip() {
    local lacks new
    if [ ! -e "$pip" ]; then
        lacks=$(./tools/lacks.sh python)
        [ -z "$lacks" ] || fail "$lacks"
        new=$pip.$$
        python3 -m venv "$new"
        ./tools/again.sh "$new/bin/python" -m pip install --quiet setuptools wheel
        # Where two make one, the second stays where it is, or ends up within the first. It is not needed.
        mv "$new" "$pip" || [ -e "$pip" ]
        rm -rf "$new" "$pip/$(basename "$new")"
    fi
    ./tools/again.sh "$pip/bin/python" -m pip "$@"
}

case ${1:-} in
pip)
    shift
    pip "$@"
    ;;
make)
    [ $# -ge 3 ] || fail "wanted a directory and packages"
    venv=$2
    shift 2
    if [ -e "$venv/installed" ]; then exit; fi
    rm -rf "$venv"
    python3 -m venv --without-pip "$venv"
    # Python compiles what is imported, which is a small part of what there is.
    pip --python "$venv/bin/python" install --quiet --no-compile "$@"
    touch "$venv/installed"
    ;;
*) fail "wanted make or pip" ;;
esac
