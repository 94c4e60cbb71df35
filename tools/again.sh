#!/usr/bin/env bash
# tools/again.sh COMMAND… runs a command that downloads. If it fails, it is tried again after 5 s, and once more after 20 s: servers
# may be busy for a while.
set -uo pipefail

for pause in 5 20; do
    "$@" && exit
    echo "again.sh: failed, trying again in $pause s: $*" >&2
    sleep "$pause"
done
exec "$@"
