#!/usr/bin/env bash
# Drives the plain program against a real Home Assistant with its demo home: commands of several parts, approvals by
# voice from two satellites, sentences of the user's own, an automation by words, a wrong token, a restart of the home,
# what begins by itself, and six languages. Prints a table; the exit code is 0 if nothing was done that was not asked for and all that must
# hold held. Nothing but loopback is used once Home Assistant is installed.
#
#   real-home.sh [--dwell BIN] [--tool RUN_HA] [--venv DIR] [--dir DIR] [--port PORT] [--only PARTS] [--minutes N]
#
# --tool is the script that installs, starts and stops Home Assistant (default: ../shared/tools/run-ha.sh beside the
# project), --venv its installation (default: target/home-assistant/venv-VERSION), --dir keeps the homes' and Dwell's
# data and logs (default: a temporary folder that is removed), --only names parts with commas between them, --minutes
# bounds the run. HA_VERSION, HA_PYTHON and HA_CUTOFF choose another release (default 2025.4.4).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=$(cd "$here/../.." && pwd)
export HA_VERSION=${HA_VERSION:-2025.4.4} HA_PYTHON=${HA_PYTHON:-python3.13} HA_CUTOFF=${HA_CUTOFF:-2025-05-01}
export HA_EXTRA="ollama mcp mcp_server wyoming"
dwell=dwell tool=$project/../shared/tools/run-ha.sh venv=$project/target/home-assistant/venv-$HA_VERSION dir= port=18123
only= minutes=40
while [ $# -gt 0 ]; do
    case $1 in --*) [ $# -ge 2 ] || { echo "$1 needs a value" >&2; exit 2; } ;; esac
    case $1 in
        --dwell) dwell=$2 ;;
        --tool) tool=$2 ;;
        --venv) venv=$2 ;;
        --dir) dir=$2 ;;
        --port) port=$2 ;;
        --only) only=$2 ;;
        --minutes) minutes=$2 ;;
        *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
found=$(command -v "$dwell") || { echo "there is no program $dwell; name it with --dwell" >&2; exit 2; }
dwell=$(realpath "$found")
[ -x "$tool" ] || { echo "there is no $tool; name it with --tool" >&2; exit 2; }

temporary=
if [ -z "$dir" ]; then
    dir=$(mktemp -d)
    temporary=1
fi
mkdir -p "$dir"
dir=$(realpath "$dir")
export HA_VENV=$venv
leave() {
    "$tool" stop "$dir/home" >/dev/null 2>&1 || true
    [ -z "$temporary" ] || rm -rf "$dir"
}
trap leave EXIT

# As in the configuration that Home Assistant writes for a new installation: the editor's automations are loaded.
mkdir -p "$dir/home/config"
[ -e "$dir/home/config/automations.yaml" ] || echo '[]' >"$dir/home/config/automations.yaml"
echo 'automation ui: !include automations.yaml' >"$dir/home/extra.yaml"
"$tool" start "$dir/home" "$port" >/dev/null
status=0
timeout --kill-after=30 "${minutes}m" "$venv/bin/python" "$here/drive.py" --dir "$dir" --dwell "$dwell" --tool "$tool" \
    --port "$port" --only "$only" || status=$?
[ "$status" != 124 ] || echo "stopped after $minutes minutes" >&2
exit "$status"
