# The Debian package, by dpkg. There is no systemd in the clean root: the service's command is run as its unit has it.
if ! command -v dpkg >/dev/null || ! touch /usr/.written 2>/dev/null; then
  printf 'skipped, packages of Debian cannot be installed here\n'
  exit 0
fi
rm /usr/.written
mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /var/lib/dpkg/triggers /var/log
# The packages that it depends on are in /usr; dpkg is told so.
for name in ca-certificates passwd libc6 libgcc-s1; do
  printf 'Package: %s\nStatus: install ok installed\nVersion: 99\nArchitecture: all\nMaintainer: x\nDescription: x\n\n' "$name"
done >/var/lib/dpkg/status
: >/var/lib/dpkg/available
for name in ca-certificates passwd libc6 libgcc-s1; do : >"/var/lib/dpkg/info/$name.list"; done
printf 'root:*:19000:0:99999:7:::\n' >/etc/shadow
printf 'root:*::\n' >/etc/gshadow

as_service() {
  local command
  command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/dwell.service)
  env DWELL_DATA=/var/lib/dwell DWELL_SERVER_OPEN=never HOME=/var/lib/dwell setpriv --reuid dwell --regid dwell --init-groups \
    "${command%% *}" --config /etc/dwell/config.toml "$@"
}
end_service() {
  kill -TERM "$(pgrep -n -x dwell)"
  wait "$server" || die "the server did not end cleanly: $(cat /tmp/server.log)"
}

dpkg -i /artifacts/old/dwell_"$OLD_VERSION"_*.deb
[ "$(stat -c %U:%a /var/lib/dwell)" = dwell:750 ] || die "the data folder is $(stat -c %U:%a /var/lib/dwell)"
for file in /usr/share/man/man1/dwell.1.gz /usr/share/man/man1/dwell-sessions-list.1.gz \
  /usr/share/bash-completion/completions/dwell; do
  [ -s "$file" ] || die "$file is missing"
done
[ "$(stat -c %G:%a /etc/default/dwell)" = dwell:640 ] || die 'others can read the secrets'
start as_service
first_answer as_service
end_service
printf '\n[log]\nfilter = "debug"\n' >>/etc/dwell/config.toml
dpkg -i /artifacts/new/dwell_"$VERSION"_*.deb
grep -q 'filter = "debug"' /etc/dwell/config.toml || die 'the upgrade overwrote the settings'
expect "$VERSION" dpkg-query --show --showformat '${Version}' dwell
start as_service
same_conversation as_service
end_service
dpkg --remove dwell
[ ! -e /usr/bin/dwell ] || die 'the program is still there'
[ -e /var/lib/dwell/journal.db ] && [ -e /etc/dwell/config.toml ] || die 'removing it deleted data or settings'
dpkg --purge dwell
[ ! -e /var/lib/dwell ] && [ ! -e /etc/dwell ] && [ ! -e /etc/default/dwell ] || die 'something is left after the purge'
printf 'installed, answered, upgraded %s to %s, removed, purged\n' "$OLD_VERSION" "$VERSION"
