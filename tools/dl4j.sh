#!/usr/bin/env bash
# The real Deeplearning4j for the tests: tools/dl4j.sh CMD… runs CMD with its class path in DL4GO_DL4J. Maven fetches it the
# first time; after that nothing is asked of the network. It needs Java 17, and Maven where it is not there yet.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "dl4j.sh: $*" >&2; exit 1; }

pom=testdata/oracle/make/pom.xml
cache=$PWD/.cache/dl4j
classpath=$cache/classpath

# complete says whether every jar of the class path is where it was.
complete() {
    [ "$classpath" -nt "$pom" ] || return 1
    local jar
    while IFS= read -r jar; do [ -e "$jar" ] || return 1; done < <(tr ':' '\n' <"$classpath")
}

command -v javac >/dev/null || fail "there is no javac: install a Java 17 development kit"
if ! complete; then
    command -v mvn >/dev/null || fail "there is no mvn: Maven fetches Deeplearning4j"
    echo "fetching Deeplearning4j; its class path is $classpath" >&2
    mkdir -p "$cache"
    mvn -q -B -Dstyle.color=never -f "$pom" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath \
        "-Dmdep.outputFile=$classpath.new" >&2
    mv "$classpath.new" "$classpath"
fi
export DL4GO_DL4J
DL4GO_DL4J=$(cat "$classpath")
exec "$@"
