#!/usr/bin/env bash
# Commands against a real Spark of which they can reach one port only, the Connect server's, and which can't reach them.
#
#   tools/netns.sh                trains and evaluates so, and compares with the same on this machine alone; shares gradients
#                                 by way of a dl4go coordinator, which has a port that both sides reach
#   tools/netns.sh CMD…           runs CMD with DL4GO_SPARK=sc://10.83.0.1:PORT in its environment
#   tools/netns.sh --private CMD… the same, with a /tmp of CMD's own, which executors don't see
#
# Spark (tools/spark.sh; SPARK and SPARK_CONF count) runs in one network namespace, CMD in another. A pair of virtual
# links joins them, and routes exist for packets to and from the Connect port alone: nothing on Spark's side can open a
# connection to CMD's, and CMD none to a master, a worker or an executor. It needs root, and ip of iproute2.
set -euo pipefail
cd "$(dirname "$0")/.."

server=10.83.0.1 client=10.83.0.2
coordinator=7070 # a port of the server, reached as Connect's is

fail() { echo "netns.sh: $*" >&2; exit 1; }

# begin makes the namespaces, and starts Spark in one of them.
begin() {
    local private=
    if [ "$1" = --private ]; then private=yes; shift; fi
    [ $# -gt 0 ] || fail "wanted a command"
    [ "$(id -u)" = 0 ] || fail "network namespaces need root: run it with sudo"
    command -v ip >/dev/null || fail "there is no ip command: install iproute2"
    spark=dl4go-spark-$$ here=dl4go-client-$$
    trap 'for n in $spark $here; do ip netns del $n 2>/dev/null || true; done; rm -rf ".cache/netns-$$"' EXIT
    ip netns add "$spark"
    ip netns add "$here"
    ip -n "$spark" link add client type veth peer name spark netns "$here"
    side "$spark" client "$server"
    side "$here" spark "$client"
    SPARK_NAME=netns-$$ SPARK_CONF="spark.connect.grpc.binding.address=0.0.0.0 ${SPARK_CONF:-}" \
        NETNS_SPARK=$spark NETNS_CLIENT=$here NETNS_PRIVATE=$private \
        ip netns exec "$spark" tools/spark.sh with tools/netns.sh --inside "$@"
}

# side NAMESPACE LINK ADDRESS gives one end its address, and no route.
side() {
    ip -n "$1" link set lo up
    ip -n "$1" link set "$2" addrgenmode none
    ip -n "$1" addr add "$3/32" dev "$2"
    ip -n "$1" link set "$2" up
}

# inside runs where Spark does, when it is up.
inside() {
    local port=${DL4GO_SPARK##*:} open
    ip -n "$NETNS_SPARK" route add "$client" dev client src "$server" table 83
    ip -n "$NETNS_CLIENT" route add "$server" dev spark src "$client" table 83
    for open in "$port" "$coordinator"; do
        ip -n "$NETNS_SPARK" rule add ipproto tcp sport "$open" lookup 83
        ip -n "$NETNS_CLIENT" rule add ipproto tcp dport "$open" lookup 83
    done
    check "$port"
    if [ -n "${NETNS_COORDINATOR:-}" ]; then
        "$NETNS_COORDINATOR/dl4go" coordinator --listen "$server:$coordinator" --credentials "$NETNS_COORDINATOR/keys" &
        trap "kill $! && wait $! || true" EXIT
        until [ -s "$NETNS_COORDINATOR/keys" ]; do
            kill -0 $! || fail "the coordinator has ended"
            sleep 0.1
        done
    fi
    export DL4GO_SPARK=sc://$server:$port
    if [ -n "$NETNS_PRIVATE" ]; then
        set -- unshare --mount sh -c 'mount -t tmpfs none /tmp && exec "$@"' sh "$@"
    fi
    ip netns exec "$NETNS_CLIENT" "$@"
}

# check makes sure that the way is as narrow as it should be.
check() {
    ip netns exec "$NETNS_CLIENT" bash -c "exec 3<>/dev/tcp/$server/$1" || fail "the client can't reach the Connect server"
    ! ip -n "$NETNS_CLIENT" route get "$server" >/dev/null 2>&1 || fail "the client can reach more than the Connect port"
    ! ip -n "$NETNS_SPARK" route get "$client" >/dev/null 2>&1 || fail "Spark can reach the client"
}

# trial trains and evaluates, on Spark and here: the models are the same, byte for byte, and so is what is said of them.
# Workers that share gradients need a coordinator that they reach: without one it is said at once what to do.
trial() {
    local dl4go=$1/dl4go keys=$1/keys
    cd /tmp
    "$dl4go" train --master 'local[2]' --model softmax --epochs 1 --save local.zip >/dev/null
    "$dl4go" train --master "$DL4GO_SPARK" --insecure --model softmax --epochs 1 --save spark.zip
    cmp local.zip spark.zip || fail "Spark's model is another than the one trained here"
    "$dl4go" evaluate --master 'local[2]' --model local.zip --data digits:test | grep -v ' s$' >local.txt
    "$dl4go" evaluate --master "$DL4GO_SPARK" --insecure --model spark.zip --data digits:test | grep -v ' s$' | tee spark.txt
    cmp local.txt spark.txt || fail "Spark's evaluation is another than the one here"
    echo "netns.sh: trained and evaluated on Spark through the Connect port alone, as here"
    local sharing=("$dl4go" train --training sharing --master "$DL4GO_SPARK" --insecure --model mlp --epochs 6 --save sharing.zip)
    ! timeout 60 "${sharing[@]}" >/dev/null 2>sharing.txt || fail "workers share gradients without a coordinator that they reach"
    cat sharing.txt
    grep -q "can't reach this process at $client:.*--coordinator" sharing.txt || fail "it is not said what to do"
    "${sharing[@]}" --coordinator "$keys"
    "$dl4go" evaluate --model sharing.zip --data digits:test | awk '/Accuracy:/ && $2 > 0.9 { found = 1 } END { exit !found }' ||
        fail "the shared gradients gave no accuracy of 0.9"
    echo "netns.sh: shared gradients by way of a coordinator"
}

case ${1:-} in
'')
    mkdir -p ".cache/netns-$$"
    CGO_ENABLED=0 ${GO:-go} build -o ".cache/netns-$$/dl4go" ./cmd/dl4go
    NETNS_COORDINATOR=$PWD/.cache/netns-$$ begin --private tools/netns.sh --trial "$PWD/.cache/netns-$$"
    ;;
--inside) shift; inside "$@" ;;
--trial) shift; trial "$@" ;;
*) begin "$@" ;;
esac
