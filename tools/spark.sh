#!/usr/bin/env bash
# A real Spark on this machine's loopback for the tests: a standalone master, two workers with one core each, and a
# Spark Connect server. It needs Java 17 and Python 3 (pip installs Spark into .cache).
#
#   tools/spark.sh up            starts it, unless it runs, and says where
#   tools/spark.sh with CMD…     runs CMD with DL4GO_SPARK=sc://…, starting Spark before and ending it after if need be
#   tools/spark.sh status        the server's address and the processes; fails where it does not run
#   tools/spark.sh down          ends it
#   tools/spark.sh lacks         prints what this machine lacks for that
#   tools/spark.sh install       fetches what is not there yet, as up does
#
# SPARK_MANAGER=yarn takes YARN instead of the standalone master: Hadoop's MiniYARNCluster with two nodes (Maven fetches it).
#
# SPARK=4.0 takes another version, or SPARK=3.5.7 (4.1 by default; each has its own processes). SPARK_NAME is for one
# more of a version beside the others. SPARK_MEMORY is an executor's heap in MiB (768), SPARK_DRIVER_MEMORY the
# server's (1024). SPARK_VM is more options for all of the JVMs. SPARK_CONF, a list of key=value separated by blanks, sets more of
# the server's configuration. Everything
# lies in .cache/spark/VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${SPARK:-4.1}
dir=$PWD/.cache/spark/$version
run=$dir/${SPARK_NAME:-run}
home=$dir/home

fail() { echo "spark.sh: $*" >&2; exit 1; }

install() {
    [ -e "$home" ] && return
    command -v java >/dev/null || fail "there is no java: install a Java 17 runtime"
    echo "installing Spark $version into $home" >&2
    local fetched=$dir/fetched archive
    rm -rf "$fetched"
    # All of Spark is in the package's archive. To install that, pip would compress 400 MB once more.
    ./tools/python.sh pip download --quiet --no-deps --no-binary :all: --no-build-isolation --dest "$fetched" "pyspark==$version.*"
    archive=$(basename "$fetched"/pyspark-*.tar.gz .tar.gz)
    tar -xzf "$fetched/$archive.tar.gz" -C "$fetched" --strip-components=2 "$archive/deps/bin" "$archive/deps/jars"
    rm "$fetched/$archive.tar.gz"
    mv "$fetched" "$home"
}

# ports prints three ports that are free now. The daemons only listen there after a while, so these are not of the ports that
# systems give to connections, nor of those of another shell that starts a Spark at the same time.
ports() {
    local from try port
    for ((try = $$; try < $$ + 100; try++)); do
        from=$((10000 + try % 3000 * 3))
        for port in $from $((from + 1)) $((from + 2)); do
            if listening $port 2>/dev/null; then continue 2; fi
        done
        echo $from $((from + 1)) $((from + 2))
        return
    done
    fail "there are no free ports from 10000 to 19000"
}

# start NAME CLASS-AND-ARGUMENTS… runs a daemon in a process group of its own, which takes in what it starts. It
# returns when the process has its own command line, by which alive knows it, or has ended.
start() {
    local name=$1 pid
    shift
    mkdir -p "$run/$name"
    (cd "$run/$name" && exec setsid "$@" >"$run/$name.log" 2>&1 </dev/null) &
    pid=$!
    echo $pid >"$run/$name.pid"
    local i
    for ((i = 0; i < 500; i++)); do
        if alive $pid || ! kill -0 $pid 2>/dev/null; then return; fi
        sleep 0.02
    done
}

# alive PID says whether the process is one of ours: its command line has the directory in it.
alive() {
    local line
    line=$({ tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null) && [[ $line == *"$run/"* ]]
}

# report says on standard error what became of each daemon, with the last lines of its log, and those of the executors' logs.
report() {
    local f pid
    for f in "$run"/*.pid; do
        [ -e "$f" ] || continue
        pid=$(cat "$f")
        echo "$(basename "$f" .pid), process $pid, $(if kill -0 "$pid" 2>/dev/null; then echo runs; else echo "has ended"; fi):" >&2
        tail -n 20 "${f%.pid}.log" >&2 || true
    done
    for f in "$run"/work*/app-*/*/stderr; do
        [ -s "$f" ] || continue
        echo "the executor of $(dirname "$f"):" >&2
        tail -n 20 "$f" >&2 || true
    done
}

all_alive() {
    local f
    for f in "$run"/*.pid; do
        [ -e "$f" ] && alive "$(cat "$f")" || return 1
    done
}

# all_run says the same of what this very shell started, which reaps its children.
all_run() {
    local f
    for f in "$run"/*.pid; do kill -0 "$(cat "$f")" 2>/dev/null || return 1; done
}

address() { echo "sc://127.0.0.1:$(cat "$run/port")"; }

# wait_for SECONDS WHAT COMMAND… polls until the command succeeds, and stops early where a daemon has died.
wait_for() {
    local until=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" 2>/dev/null; do
        if ! all_run || [ $SECONDS -ge $until ]; then
            report
            down
            fail "waited for $what, see above"
        fi
        sleep 0.1
    done
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

# state PORT prints what the master says of its workers, one field a line. Bash asks it: a Python costs more than the answer.
state() (
    exec 3<>"/dev/tcp/127.0.0.1/$1"
    printf 'GET /json/ HTTP/1.0\r\n\r\n' >&3
    tr -d ' \r' <&3 | tr ',' '\n'
)

workers() { [ "$(state "$1" | grep -c '"state":"ALIVE"')" -ge 2 ]; }

executors() { state "$1" | grep '"coresused":2$' >/dev/null; }

up() {
    install
    if all_alive; then
        return
    fi
    down
    mkdir -p "$run/tmp"
    local classpath java
    local vm="-XX:+UseSerialGC -XX:-UsePerfData -Dlog4j2.configurationFile=$PWD/tools/spark/log4j2.properties ${SPARK_VM:-}"
    java="java $vm -Djava.io.tmpdir=$run/tmp"
    classpath=$home/jars/*
    local master ui connect jars free
    jars=$(connect_jar "$home") || exit 1
    free=$(ports)
    read -r master ui connect <<<"$free"

    export SPARK_HOME=$home SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=127.0.0.1 SPARK_LOCAL_DIRS=$run/tmp
    SPARK_SCALA_VERSION=$(basename "$home"/jars/spark-core_*.jar | cut -d_ -f2 | cut -d- -f1)
    export SPARK_SCALA_VERSION
    unset SPARK_CONF_DIR HADOOP_CONF_DIR YARN_CONF_DIR
    export LC_ALL=C.UTF-8 # by which Java writes the names of files
    local manager=(--master "spark://127.0.0.1:$master")
    if [ "${SPARK_MANAGER:-standalone}" = yarn ]; then
        yarn_up
        manager=(--master yarn --deploy-mode client --num-executors 2 --conf "spark.yarn.jars=local:$home/jars/*"
            --conf spark.scheduler.maxRegisteredResourcesWaitingTime=180s # the server starts when both executors are there
            --conf spark.yarn.am.memory=256m --conf spark.yarn.am.memoryOverhead=128m
            --conf spark.executor.memoryOverhead=256m --conf "spark.yarn.am.extraJavaOptions=$vm")
    else
        standalone_up "$java" "$classpath" "$master" "$ui"
    fi

    local conf=() setting
    for setting in ${SPARK_CONF:-}; do conf+=(--conf "$setting"); done
    start connect "$home/bin/spark-submit" "${manager[@]}" --name connect \
        --class org.apache.spark.sql.connect.service.SparkConnectServer \
        --driver-memory "${SPARK_DRIVER_MEMORY:-1024}m" \
        --driver-java-options "$vm -Djava.io.tmpdir=$run/tmp" \
        --conf "spark.executor.memory=${SPARK_MEMORY:-768}m" --conf spark.executor.cores=1 --conf spark.executor.instances=2 --conf spark.ui.enabled=false \
        --conf "spark.executor.extraJavaOptions=$vm" \
        --conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 \
        --conf spark.connect.grpc.binding.address=127.0.0.1 --conf "spark.connect.grpc.binding.port=$connect" \
        --conf "spark.sql.warehouse.dir=$run/warehouse" \
        --conf spark.sql.shuffle.partitions=2 --conf spark.default.parallelism=2 \
        --conf spark.shuffle.io.retryWait=200ms \
        $jars "${conf[@]}" spark-internal
    wait_for 600 "the Connect server" listening "$connect"
    if [ "${SPARK_MANAGER:-standalone}" != yarn ]; then wait_for 600 "two executors" executors "$ui"; fi
    echo "$connect" >"$run/port"
    echo "$ui" >"$run/master-ui-port"
}

# standalone_up JAVA CLASSPATH PORT UI starts a master and two workers with one core each.
standalone_up() {
    # A machine that was busy, or asleep, for a minute has not lost its workers.
    start master $1 -Dspark.worker.timeout=600 -Xmx192m -cp "$2" org.apache.spark.deploy.master.Master \
        --host 127.0.0.1 --port "$3" --webui-port "$4"
    wait_for 600 "the master" listening "$3"
    local i
    for i in 1 2; do
        start worker$i $1 -Xmx192m -cp "$2" org.apache.spark.deploy.worker.Worker \
            --host 127.0.0.1 --cores 1 --memory "$((${SPARK_MEMORY:-768} + 256))m" --work-dir "$run/work$i" --webui-port 0 "spark://127.0.0.1:$3"
    done
    wait_for 600 "two workers" workers "$4"
}

# yarn_up starts YARN, whose containers work below $run/work.
yarn_up() {
    local hadoop dir=$run/work
    hadoop=$(./tools/hdfs.sh classpath)
    mkdir -p "$dir"
    start yarn java -Xmx256m -XX:+UseSerialGC -XX:-UsePerfData ${SPARK_VM:-} -Djava.io.tmpdir="$run/tmp" \
        --add-opens java.base/java.lang=ALL-UNNAMED -Djava.net.preferIPv4Stack=true \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$hadoop" Yarn "$dir" "$((2 * (${SPARK_MEMORY:-768} + 256) + 512))"
    wait_for 600 "YARN" test -e "$dir/ready"
    export HADOOP_CONF_DIR=$dir/conf
}

# Up to 3.5 the Connect server is a package of its own, which Maven fetches.
connect_jar() {
    if ! ls "$1"/jars/spark-connect_*.jar >/dev/null 2>&1; then
        local full
        full=$(basename "$1"/jars/spark-core_*.jar .jar)
        if ! ls "$dir"/connect/*.jar >/dev/null 2>&1; then
            command -v mvn >/dev/null || fail "Spark $version needs Maven to fetch its Connect server"
            mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy "-DoutputDirectory=$dir/connect" \
                "-Dartifact=org.apache.spark:spark-connect_2.12:${full##*-}" >&2 ||
                fail "Maven has no Connect server for Spark ${full##*-}; name another version, such as SPARK=3.5.7"
        fi
        echo --jars "$dir"/connect/*.jar
    fi
}

down() {
    local f pid until
    for f in "$run"/connect.pid "$run"/worker*.pid "$run"/master.pid "$run"/yarn.pid; do
        [ -e "$f" ] || continue
        pid=$(cat "$f")
        if alive "$pid"; then kill -TERM -- "-$pid" 2>/dev/null || true; fi
    done
    for f in "$run"/*.pid; do
        [ -e "$f" ] || continue
        pid=$(cat "$f")
        until=$((SECONDS + 10))
        while alive "$pid" && [ $SECONDS -lt $until ]; do sleep 0.1; done
        # What is left of the group: the daemon itself, or what executors started and did not end.
        if alive "$pid" || { [ ! -e "/proc/$pid" ] && kill -0 -- "-$pid" 2>/dev/null; }; then
            kill -KILL -- "-$pid" 2>/dev/null || true
        fi
    done
    # YARN's containers are in groups of their own.
    for f in /proc/[0-9]*/cwd; do
        if [[ $(readlink "$f") == "$run/work/"* ]]; then kill -KILL "$(basename "$(dirname "$f")")" 2>/dev/null || true; fi
    done
    rm -rf "$run"
}

status() {
    if ! all_alive || [ ! -e "$run/port" ]; then
        echo "Spark $version does not run"
        return 1
    fi
    echo "Spark $version: $(address)"
    local f
    for f in "$run"/*.pid; do echo "  $(basename "$f" .pid) $(cat "$f")"; done
}

# lacks prints what is to be installed first: what is in .cache already needs no Python or Maven.
lacks() {
    local tools=(java)
    [ -e "$home" ] || tools+=(python)
    if [[ $version == 3.* ]] && ! ls "$dir"/connect/*.jar >/dev/null 2>&1; then tools+=(maven); fi
    ./tools/lacks.sh "${tools[@]}"
}

case ${1:-} in
lacks) lacks ;;
install) install ;;
up) up && status ;;
down) down ;;
status) status ;;
with)
    shift
    if ! all_alive; then
        up
        trap down EXIT
    fi
    DL4GO_SPARK=$(address) DL4GO_SPARK_FILES=$run "$@" # where all lies that the cluster writes
    ;;
*) fail "wanted up, down, status, lacks, install or with" ;;
esac
