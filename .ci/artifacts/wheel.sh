# The Python wheel, in a virtual environment: the program on the path, and the client.
python3 -m venv /root/env
pip() { /root/env/bin/python -m pip --disable-pip-version-check --quiet "$@"; }
options=(--no-index)
if [ -d /artifacts/wheels ]; then options+=(--find-links /artifacts/wheels); else options+=(--no-deps); fi

pip install "${options[@]}" /artifacts/old/dwell-"$OLD_VERSION"-*.whl
PATH=/root/env/bin:$PATH
start dwell
first_answer dwell
stop
pip install "${options[@]}" --upgrade /artifacts/new/dwell-"$VERSION"-*.whl
expect "Version: $VERSION" python -m pip show dwell
start dwell
same_conversation dwell
if [ -d /artifacts/wheels ]; then
  DWELL_TOKEN=$(cat /root/.local/share/dwell/token) python - <<'PYTHON'
import os
from dwell import SyncClient

with SyncClient("http://127.0.0.1:7437", os.environ["DWELL_TOKEN"]) as client:
    answer = client.ask("What is 6 times 7?")
assert "42" in str(answer), answer
PYTHON
fi
stop
pip uninstall --yes dwell
[ ! -e /root/env/bin/dwell ] || die 'the program is still there'
if python -c 'import dwell' 2>/dev/null; then die 'the client is still there'; fi
[ -e /root/.local/share/dwell/journal.db ] || die 'the data folder is gone'
printf 'installed, answered, upgraded %s to %s, removed\n' "$OLD_VERSION" "$VERSION"
