# What it takes to build, checked before anything starts, so that a missing piece is one clear line and not a page of linker
# output. Sourced by ./test and ./run.

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Rust, at least as new as the workspace asks for. $1: the workspace's folder.
need_rust() {
  if ! command -v cargo >/dev/null && [ -f "$HOME/.cargo/env" ]; then
    # Installed, but this shell was started before.
    . "$HOME/.cargo/env"
  fi
  command -v cargo >/dev/null || fail "Rust is missing: install it from https://rustup.rs"

  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$1/Cargo.toml")
  found=$(rustc --version | cut -d ' ' -f 2)
  if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
    fail "Rust $found is too old, $wanted is needed: run 'rustup update stable'"
  fi
}

# A part of the toolchain that a minimal one lacks. $1: the component, $2: its cargo subcommand.
need_component() {
  cargo "$2" --version >/dev/null 2>&1 || fail "the component $1 is missing: run 'rustup component add $1'"
}

# SQLite and the cryptography are C, and Rust links with cc.
need_c_compiler() {
  if command -v cc >/dev/null; then
    return
  fi
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    printf 'no C compiler here, installing gcc\n'
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev
  else
    fail "a C compiler is missing: install gcc and libc6-dev (Debian, Ubuntu: 'sudo apt-get install gcc libc6-dev')"
  fi
}
