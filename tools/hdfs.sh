#!/usr/bin/env bash
# A real HDFS on this machine's loopback for the tests: Hadoop's MiniDFSCluster with two name nodes and two data nodes, in one
# Java process (tools/hdfs). It needs Java 17, and Maven, which fetches Hadoop the first time.
#
#   tools/hdfs.sh up            starts it, unless it runs, and says where
#   tools/hdfs.sh with CMD…     runs CMD, starting HDFS before and ending it after if need be, with
#                                 DL4GO_HDFS          hdfs://127.0.0.1:PORT, the active name node
#                                 DL4GO_HDFS_STANDBY  the same of the other one
#                                 HADOOP_CONF_DIR     a configuration with the name service "mini"
#                                 DL4GO_HDFS_CONTROL  http://127.0.0.1:PORT, where Mini.java takes commands
#   tools/hdfs.sh status        the addresses and the process; fails where it does not run
#   tools/hdfs.sh down          ends it
#   tools/hdfs.sh classpath     the class path of Hadoop and of tools/hdfs, whose Yarn.java tools/spark.sh starts
#   tools/hdfs.sh lacks         prints what this machine lacks for that
#
# HDFS_NAME is for one more beside the others. HDFS_KERBEROS=1 makes it a secure one, with a Kerberos server: DL4GO_KDC is the
# directory of the users' keytabs, and KRB5_CONFIG is set. HDFS_CONF, a list of name=value separated by blanks, sets more of the cluster's
# configuration. Everything lies in .cache/hdfs.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/.cache/hdfs
run=$cache/${HDFS_NAME:-run}
pom=tools/hdfs/pom.xml
programs=(tools/hdfs/*.java)

fail() { echo "hdfs.sh: $*" >&2; exit 1; }

# complete says whether every jar of the class path is where it was.
complete() {
    [ "$cache/classpath" -nt "$pom" ] || return 1
    local jar
    while IFS= read -r jar; do [ -e "$jar" ] || return 1; done < <(tr ':' '\n' <"$cache/classpath")
}

# install fetches and compiles what is not there yet, for one shell at a time.
install() {
    mkdir -p "$cache"
    (
        flock 9
        fetch
    ) 9>"$cache/lock"
}

fetch() {
    command -v javac >/dev/null || fail "there is no javac: install a Java 17 development kit"
    if ! complete; then
        command -v mvn >/dev/null || fail "there is no mvn: Maven fetches Hadoop"
        echo "fetching Hadoop; its class path is $cache/classpath" >&2
        ./tools/again.sh mvn -q -B -Dstyle.color=never -f "$pom" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath \
            "-Dmdep.outputFile=$cache/classpath.new" >&2
        mv "$cache/classpath.new" "$cache/classpath"
    fi
    local program
    for program in "${programs[@]}"; do
        if [ ! "$cache/classes/$(basename "$program" .java).class" -nt "$program" ]; then
            javac -nowarn -encoding UTF-8 -cp "$(cat "$cache/classpath")" -d "$cache/classes" "${programs[@]}"
            break
        fi
    done
}

# alive says whether the process is ours: its command line has the directory in it.
alive() {
    local line
    [ -e "$run/pid" ] || return 1
    line=$({ tr '\0' ' ' <"/proc/$(cat "$run/pid")/cmdline"; } 2>/dev/null) && [[ $line == *"$run"* ]]
}

# start starts it, with the arguments of launch. It tries again if another program has taken a port before HDFS listens there, or
# if the cluster gives up its own start, which has 10 s for some steps.
start() {
    install
    for _ in 1 2 3; do
        launch "$@" && return
        tail -n 30 "$run/log" >&2
    done
    fail "HDFS does not start, see above"
}

# launch starts it in a process group of its own. With the argument "stay" it outlives this shell; otherwise it ends with it.
launch() {
    down
    mkdir -p "$run/tmp"
    local java=(java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Djava.io.tmpdir="$run/tmp"
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Djava.net.preferIPv4Stack=true
        -cp "$cache/classes:$(cat "$cache/classpath")" Mini "$run")
    read -ra settings <<<"${HDFS_CONF:-}"
    java+=("${settings[@]}" ${HDFS_KERBEROS:+kerberos})
    unset HADOOP_CONF_DIR HADOOP_HOME HADOOP_USER_NAME KRB5_CONFIG KRB5CCNAME
    if [ "${1:-}" = stay ]; then
        setsid "${java[@]}" stay >"$run/log" 2>&1 </dev/null &
    else
        exec {hold}> >(exec setsid "${java[@]}" >"$run/log" 2>&1)
    fi
    echo $! >"$run/pid"
    local until=$((SECONDS + 600)) pid=$!
    until [ -e "$run/ready" ]; do
        if ! kill -0 "$pid" 2>/dev/null || [ $SECONDS -ge $until ]; then return 1; fi
        sleep 0.1
    done
}

down() {
    if alive; then
        local pid until=$((SECONDS + 10))
        pid=$(cat "$run/pid")
        kill -TERM -- "-$pid" 2>/dev/null || true
        while alive && [ $SECONDS -lt $until ]; do sleep 0.1; done
        if alive; then kill -KILL -- "-$pid" 2>/dev/null || true; fi
        while alive; do sleep 0.1; done # it writes to the directory
    fi
    rm -rf "$run"
}

addresses() {
    local active standby control
    read -r active standby control <"$run/ready"
    echo "DL4GO_HDFS=hdfs://$active DL4GO_HDFS_STANDBY=hdfs://$standby HADOOP_CONF_DIR=$run DL4GO_HDFS_CONTROL=http://$control"
    if [ -e "$run/kdc" ]; then echo "KRB5_CONFIG=$run/kdc/krb5.conf DL4GO_KDC=$run/kdc"; fi
}

status() {
    if ! alive || [ ! -e "$run/ready" ]; then
        echo "HDFS does not run"
        return 1
    fi
    echo "HDFS, process $(cat "$run/pid"):"
    addresses | tr ' ' '\n' | sed 's/^/  /'
}

case ${1:-} in
lacks)
    tools=(javac)
    complete || tools+=(maven)
    ./tools/lacks.sh "${tools[@]}"
    ;;
up)
    alive || start stay
    status
    ;;
down) down ;;
classpath) install && echo "$cache/classes:$(cat "$cache/classpath")" ;;
status) status ;;
with)
    shift
    if ! alive; then
        trap down EXIT
        start
    fi
    # shellcheck disable=SC2046
    env $(addresses) "$@"
    ;;
*) fail "wanted up, down, status, lacks or with" ;;
esac
