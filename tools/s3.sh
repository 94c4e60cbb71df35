#!/usr/bin/env bash
# A real S3 server on this machine's loopback for the tests: tools/s3.sh with CMD… runs CMD with the AWS variables of a
# versitygw that keeps a bucket in a temporary directory, and ends it after. The bucket's URL is in DL4GO_S3, the server's
# program in DL4GO_VERSITYGW. Go fetches and builds it the first time; after that nothing is asked of the network.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "s3.sh: $*" >&2; exit 1; }

[ "${1:-}" = with ] && [ $# -gt 1 ] || fail "usage: tools/s3.sh with CMD…"
shift

gateway=$PWD/.cache/s3/versitygw
if ! [ "$gateway" -nt tools/s3.mod ]; then
    echo "building versitygw into $gateway" >&2
    mkdir -p "$(dirname "$gateway")"
    # Without optimisation, as it answers few requests: that halves the processor time of the compiler, a minute.
    CGO_ENABLED=0 ./tools/again.sh ${GO:-go} build -modfile=tools/s3.mod "-gcflags=github.com/...=-N -l" -ldflags=-w -o "$gateway.$$" github.com/versity/versitygw/cmd/versitygw
    mv "$gateway.$$" "$gateway" # another shell may do the same
fi

run=$(mktemp -d "${TMPDIR:-/tmp}/dl4go-s3.XXXXXX")
server=
finish() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$run"
}
trap finish EXIT
trap 'exit 130' INT TERM

mkdir -p "$run/data/dl4go-test" "$run/about"
listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# ours says whether our server answers, by a path that no other one has: another program may take the port first.
health=/$RANDOM-$RANDOM-$RANDOM
ours() (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
    printf 'GET %s HTTP/1.0\r\n\r\n' "$health" >&3
    read -rt 10 line <&3 && [[ $line == *" 200 "* ]]
) 2>/dev/null
for try in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 12000))
    listening $port && continue
    ROOT_ACCESS_KEY_ID=dl4go ROOT_SECRET_ACCESS_KEY=a-secret-for-tests "$gateway" --quiet --port "127.0.0.1:$port" --health "$health" \
        posix --sidecar "$run/about" "$run/data" >"$run/log" 2>&1 </dev/null &
    server=$!
    until ours $port; do
        if ! kill -0 $server 2>/dev/null; then
            server=
            break
        fi
        read -rt 0.05 <> <(:) || true
    done
    [ -n "$server" ] && break
done
[ -n "$server" ] || { cat "$run/log" >&2; fail "the server does not start, see above"; }

export AWS_ENDPOINT_URL=http://127.0.0.1:$port AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=dl4go AWS_SECRET_ACCESS_KEY=a-secret-for-tests
unset AWS_ENDPOINT_URL_S3 AWS_SESSION_TOKEN AWS_PROFILE
export DL4GO_S3=s3://dl4go-test DL4GO_VERSITYGW=$gateway
"$@"
