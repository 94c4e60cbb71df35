#!/usr/bin/env bash
# tools/lacks.sh [java|javac|maven|python]… prints in one line what this machine lacks of these, and nothing where it has all.
set -euo pipefail

# java17 PROGRAM says whether it is that of Java 17 or later. A Mac has stubs of the name.
java17() {
    local version
    version=$("$1" -version 2>&1) || return 1
    version=$(sed -nE 's/^(openjdk|java)?( version)? ?"?(javac )?([0-9]+).*/\4/p' <<<"$version" | head -n 1)
    [ "${version:-0}" -ge 17 ]
}

lacking=()
for tool in "$@"; do
    case $tool in
    java) java17 java || lacking+=("a Java 17 runtime") ;;
    javac) java17 java && java17 javac || lacking+=("a Java 17 development kit") ;;
    maven) command -v mvn >/dev/null || lacking+=("Maven") ;;
    python) python3 -c 'import ensurepip, venv' 2>/dev/null || lacking+=("Python 3 with venv") ;;
    *) echo "lacks.sh: nothing is known of $tool" >&2; exit 1 ;;
    esac
done
[ ${#lacking[@]} = 0 ] || { printf 'install %s' "${lacking[0]}"; printf ', %s' "${lacking[@]:1}" | sed 's/^, $//'; echo; }
