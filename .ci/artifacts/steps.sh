# What the trials of all artifacts have in common. Sourced inside of the clean root.
set -euo pipefail
cd /root

die() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# Brings the loopback device up, where no `ip` need be installed.
loopback_up() {
  python3 - <<'PYTHON'
import fcntl, socket, struct
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
    up_and_running = struct.pack("16sh", b"lo", 0x1 | 0x40)
    fcntl.ioctl(control, 0x8914, up_and_running)  # SIOCSIFFLAGS
PYTHON
}

# Starts a server in the background, and waits until it answers. The arguments are the command up to `serve`.
server=''
start() {
  "$@" serve >/tmp/server.log 2>&1 &
  server=$!
  local waited=0
  until "$@" health >/tmp/health.log 2>&1; do
    kill -0 "$server" 2>/dev/null || die "the server ended: $(cat /tmp/server.log)"
    waited=$((waited + 1))
    [ "$waited" -lt 300 ] || die "the server is not ready: $(cat /tmp/health.log /tmp/server.log)"
    sleep 0.2
  done
}

stop() {
  kill -TERM "$server"
  wait "$server" || die "the server did not end cleanly: $(cat /tmp/server.log)"
}

# $1: what is expected in the output, then the command.
expect() {
  local wanted=$1 found
  shift
  found=$("$@" 2>&1) || die "$* failed: $found"
  case $found in
    *"$wanted"*) ;;
    *) die "$* says: $found; expected: $wanted" ;;
  esac
}

# A first conversation, which is looked for again after the upgrade. The arguments are the command.
first_answer() {
  expect 42 "$@" ask 'What is 6 times 7?'
  "$@" ask --session diary 'I moved to Leiden in May.' >/dev/null
  expect diary "$@" sessions list
}

# The page, as far as this build has it.
page_is_there() {
  if [ "$EXPECT_PAGE" = true ]; then
    expect '<title>' curl -sf http://127.0.0.1:7437/
  fi
}

# After the upgrade everything is there, and new answers come.
same_conversation() {
  expect diary "$@" sessions list
  expect Leiden "$@" export diary
  expect 56 "$@" ask --session diary 'What is 7 times 8?'
  page_is_there
}
