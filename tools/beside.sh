# For scripts of bash that run several commands side by side: source it. A command with servers, or with tests that wait, leaves
# processor time for others.
#
#   part WHAT COMMAND…     runs the command, and says how long it took, and how much processor time (without that of servers)
#   beside WHAT COMMAND…   does the same beside the others; what it prints comes when it has ended
#   ended                  waits for all of them, and fails if one did
besides=$(mktemp -d)
pids=()
leave() {
    local pid
    for pid in "${pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
    wait
    rm -rf "$besides"
}
trap leave EXIT
trap 'exit 130' INT TERM

part() {
    local what=$1 TIMEFORMAT="== $1: %0R s, processor %0U + %0S s"
    shift
    echo "== $what"
    (time "$@") # not in this shell, which would add the time of what runs beside it and has ended meanwhile
}

beside() {
    set -m # a process group of its own
    (part "$@") >"$besides/${#pids[@]}" 2>&1 </dev/null &
    set +m
    pids+=($!)
}

ended() {
    local i failed=0
    for i in "${!pids[@]}"; do
        wait "${pids[i]}" || failed=1
        cat "$besides/$i"
    done
    pids=()
    return $failed
}
