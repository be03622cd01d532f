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

# Installs packages where that is possible without asking. $1: what is missing, then the packages.
install_packages() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  printf 'no %s here, installing %s\n' "$1" "${*:2}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${@:2}"
}

# SQLite and the cryptography are C, and Rust links with cc.
need_c_compiler() {
  if command -v cc >/dev/null; then
    return
  fi
  install_packages 'C compiler' gcc libc6-dev ||
    fail "a C compiler is missing: install gcc and libc6-dev (Debian, Ubuntu: 'sudo apt-get install gcc libc6-dev')"
}

# The model of meaning comes with pip. All else works without it.
want_pip() {
  if python3 -m pip --version >/dev/null 2>&1 || { command -v pip3 && command -v python3; } >/dev/null; then
    return
  fi
  install_packages pip python3 python3-pip || printf 'no pip here: search by meaning stays off until python3 and pip are installed\n'
}
