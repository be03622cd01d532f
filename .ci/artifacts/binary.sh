# The archive, by install.sh, from a web server as users would have it.
python3 -m http.server --bind 127.0.0.1 --directory /artifacts 8000 >/dev/null 2>&1 &
web=$!
until curl -sf -o /dev/null http://127.0.0.1:8000/; do sleep 0.1; done
dwell=/root/.local/bin/dwell
install() { sh /artifacts/new/install.sh --to /root/.local/bin "$@"; }

install --from http://127.0.0.1:8000/old
start "$dwell"
first_answer "$dwell"
# A program that runs is replaced all the same.
DWELL_RELEASES=http://127.0.0.1:8000/new install
stop
start "$dwell"
same_conversation "$dwell"
stop

# What is damaged is not installed.
mkdir /tmp/damaged && cp /artifacts/new/SHA256SUMS /tmp/damaged/
name=$(basename /artifacts/new/dwell-"$VERSION"-linux-*.tar.gz)
head -c 1000 "/artifacts/new/$name" >"/tmp/damaged/$name"
before=$(sha256sum "$dwell")
if install --from file:///tmp/damaged 2>/tmp/said; then die 'a damaged archive was installed'; fi
grep -q 'checksum .* is wrong' /tmp/said || die "$(cat /tmp/said)"
[ "$(sha256sum "$dwell")" = "$before" ] || die 'the program was changed'
if install 2>/tmp/said; then die 'it was installed from nowhere'; fi
grep -q 'DWELL_RELEASES' /tmp/said || die "$(cat /tmp/said)"

install --uninstall
[ ! -e "$dwell" ] || die 'the program is still there'
[ -e /root/.local/share/dwell/journal.db ] || die 'the data folder is gone'
kill "$web"
printf 'installed, answered, upgraded %s to %s, removed\n' "$OLD_VERSION" "$VERSION"
