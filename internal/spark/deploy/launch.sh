# Starts the worker program that is for this machine, for the protocol in $1, with the other arguments. Bash reads this
# file by "."; several sessions may have left the program here, and one of them may be going. What went wrong is said as
# a worker says it: as JSON, in the last whole line.
shopt -s execfail
export VARIABLE="$1"
machine=$(MACHINE)
machine=${machine// /-}
files=(./*/dl4go-BUILD-"$machine")
case $machine in # there is what --worker-binary says to lie on executors of this kind
"") ;; INSTALLED
esac
if [ ${#files[@]} -gt 1 ]; then # another session's may be half copied, so the largest comes first
    mapfile -t files < <(ls -S ./*/dl4go-BUILD-"$machine" 2>/dev/null)
fi
for file in "${files[@]}"; do
    if [ -e "$file" ]; then
        found=$file
        exec "$file" "${@:2}"
    fi
done

here="$(uname -n) (${machine//-/ })"
if [ -z "${found:-}" ] && [ -n "${there:-}" ]; then
    cause="$here has no file $there, which is to be its worker program: put this same dl4go there, on each executor, or leave out --worker-binary"
elif [ -z "${found:-}" ]; then
    cause="$here has no worker program: when the session began, no executor was such a machine. Begin another session, \
or name the program's file for such machines: --worker-binary OS/ARCH=FILE, such as linux/arm64=FILE"
else
    said=$("$found" </dev/null 2>&1 | head -c 300)
    cause="$here can't run the worker program ${there:-$PWD/${found#./}}: ${said##*: }."
    case $said in
    *"ermission denied"*) cause="$cause Its file system may be mounted noexec: Spark's work directory on the executors \
(a standalone worker's --work-dir, YARN's local-dirs, a pod's volume) must be on one that is not" ;;
    *"ormat error"*) cause="$cause The file is for another kind of machine: name one for this kind by --worker-binary" ;;
    *"o such file"* | *"required file not found"*) cause="$cause It is linked to a C library that is not there: build \
it with CGO_ENABLED=0" ;;
    esac
fi
IFS=$'\t' read -r -n 16 partition _
cat >/dev/null # or Spark would complain of a broken pipe instead
case $partition in '' | *[!0-9]*) partition=0 ;; esac
cause=${cause//[\"\\[:cntrl:]]/ }
LC_ALL=C # 700 bytes, not characters
line="dl4go-error {\"partition\":$partition,\"step\":\"start of the worker\",\"cause\":\"${cause:0:700}\"}"

# Spark reports what it has kept of standard error when this process ends. Its thread reads a piece of the pipe, keeps it,
# and reads the next one; a read takes several pieces if the next one is there already. So once a few empty lines have left
# the pipe one by one, the line before them is kept. All of it is less than 2 KiB: an executor ends if it looks at a full
# buffer that is being written to.
read_by_spark() {
    local i
    for ((i = 0; i < 600; i++)); do
        read -r -t 0 <&9 || return
        sleep 0.1
    done
}
printf '\n%s\n' "$line" >&2
if [ -p /proc/self/fd/2 ] && exec 9</proc/self/fd/2; then
    for again in 1 2 3; do
        read_by_spark
        echo >&2
    done
    read_by_spark
else
    sleep 1
fi
exit 126
