#!/bin/sh
# Installs Dwell's program from a folder of release artifacts:
#   DWELL_RELEASES=https://… sh install.sh          the newest version there
#   sh install.sh --from URL [--version 0.1.0] [--to FOLDER]
#   sh install.sh --uninstall [--to FOLDER]         removes the program and keeps the data folder
# URL is where SHA256SUMS and the archives are; `file:///…` works too. What is downloaded is checked
# against SHA256SUMS before it is unpacked. Without --to, it goes to /usr/local/bin for root and to
# ~/.local/bin for others.
set -eu

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

from=${DWELL_RELEASES:-}
version=''
to=''
uninstall=false
while [ $# -gt 0 ]; do
  case $1 in
    --from | --version | --to)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --from) from=$2 ;;
        --version) version=$2 ;;
        --to) to=$2 ;;
      esac
      shift 2
      ;;
    --uninstall)
      uninstall=true
      shift
      ;;
    *) fail "unknown option $1: see the first lines of this script" ;;
  esac
done
if [ -z "$to" ]; then
  if [ "$(id -u)" = 0 ]; then to=/usr/local/bin; else to=$HOME/.local/bin; fi
fi

if $uninstall; then
  [ -e "$to/dwell" ] || fail "there is no $to/dwell"
  rm "$to/dwell"
  share=$(dirname "$to")/share
  rm -f "$share"/man/man1/dwell.1.gz "$share"/man/man1/dwell-*.1.gz "$share/bash-completion/completions/dwell" \
    "$share/zsh/vendor-completions/_dwell" "$share/fish/vendor_completions.d/dwell.fish"
  printf 'removed %s; the data folder is still there (%s unless you chose another)\n' \
    "$to/dwell" "$HOME/.local/share/dwell"
  exit 0
fi

[ -n "$from" ] || fail 'where from? set DWELL_RELEASES or --from to the address of a release folder'
from=${from%/}
[ "$(uname -s)" = Linux ] || fail "there are programs for Linux only, not for $(uname -s)"
case $(uname -m) in
  x86_64 | amd64) arch=x86_64 ;;
  aarch64 | arm64) arch=aarch64 ;;
  *) fail "there is no program for $(uname -m): build it from source" ;;
esac
command -v sha256sum >/dev/null || fail 'sha256sum is missing: install coreutils'

# $1: the name of a file in the release folder, $2: where to put it.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 2 -o "$2" "$from/$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$from/$1"
  else
    fail 'curl and wget are both missing: install one of them'
  fi || fail "$from/$1 cannot be downloaded"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
download SHA256SUMS "$folder/SHA256SUMS"
if [ -z "$version" ]; then
  version=$(sed -n "s/^[0-9a-f]\{64\}  dwell-\([0-9.]*\)-linux-$arch\.tar\.gz\$/\1/p" "$folder/SHA256SUMS" |
    sort -t . -k 1,1n -k 2,2n -k 3,3n | tail -n 1)
  [ -n "$version" ] || fail "$from has no program for $arch"
fi
name=dwell-$version-linux-$arch
grep -q "  $name\.tar\.gz\$" "$folder/SHA256SUMS" || fail "$from has no version $version for $arch"
download "$name.tar.gz" "$folder/$name.tar.gz"
grep "  $name\.tar\.gz\$" "$folder/SHA256SUMS" | (cd "$folder" && sha256sum -c - >/dev/null 2>&1) ||
  fail "the checksum of $name.tar.gz is wrong: it was damaged or replaced, and is not installed"
tar -xf "$folder/$name.tar.gz" -C "$folder"

mkdir -p "$to" || fail "$to cannot be made"
# Under another name first: a program that runs cannot be overwritten, but it can be replaced.
cp "$folder/$name/dwell" "$to/.dwell.new" && chmod 755 "$to/.dwell.new" && mv "$to/.dwell.new" "$to/dwell" ||
  fail "$to cannot be written: choose another folder with --to"
# The manual pages and completions go beside it, where shells and man look for them.
share=$(dirname "$to")/share
if [ -d "$folder/$name/share" ] && [ "$(basename "$to")" = bin ]; then
  mkdir -p "$share" && cp -R "$folder/$name/share/." "$share/" ||
    printf 'the manual pages could not be written to %s\n' "$share"
fi
printf 'installed %s in %s\n' "$("$to/dwell" --version)" "$to"
case :$PATH: in
  *":$to:"*) ;;
  *) printf 'add it to your PATH: export PATH="%s:$PATH"\n' "$to" ;;
esac
printf 'start it with: dwell serve\n'
