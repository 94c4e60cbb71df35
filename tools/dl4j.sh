#!/usr/bin/env bash
# The real Deeplearning4j for the tests: tools/dl4j.sh CMD… runs CMD with its class path in DL4GO_DL4J, and that of
# Deeplearning4j on Spark in DL4GO_DL4J_SPARK. Maven fetches them the first time; after that nothing is asked of the
# network. It needs Java 17, and Maven where they are not there yet.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "dl4j.sh: $*" >&2; exit 1; }

cache=$PWD/.cache/dl4j

# complete says whether every jar of a class path is where it was.
complete() {
    local jar
    while IFS= read -r jar; do [ -e "$jar" ] || return 1; done < <(tr ':' '\n' <"$1")
}

# classpath POM FILE puts the class path of the POM's dependencies in FILE, unless it is there.
classpath() {
    if [ "$2" -nt "$1" ] && complete "$2"; then return; fi
    command -v mvn >/dev/null || fail "there is no mvn: Maven fetches Deeplearning4j"
    echo "fetching Deeplearning4j; its class path is $2" >&2
    mkdir -p "$cache"
    ./tools/again.sh mvn -q -B -Dstyle.color=never -Djavacpp.platform=linux-x86_64 -f "$1" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath "-Dmdep.outputFile=$2.new" >&2
    mv "$2.new" "$2"
}

command -v javac >/dev/null || fail "there is no javac: install a Java 17 development kit"
classpath testdata/oracle/make/pom.xml "$cache/classpath"
classpath examples/migration/java/pom.xml "$cache/classpath-spark"
export DL4GO_DL4J DL4GO_DL4J_SPARK
DL4GO_DL4J=$(cat "$cache/classpath")
DL4GO_DL4J_SPARK=$(cat "$cache/classpath-spark")
exec "$@"
