#!/usr/bin/env bash
# Puts a built Dwell into the add-on's folder, so that Home Assistant can make its image of it:
# `prepare.sh [PROGRAM] [ARCH]`. Without arguments: the release build of this repository, for this
# machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${1:-$here/../../target/release/dwell}
case ${2:-$(uname -m)} in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=aarch64 ;;
  *)
    printf 'error: the add-on is for amd64 and aarch64, not %s\n' "${2:-$(uname -m)}" >&2
    exit 1
    ;;
esac
if [ ! -x "$program" ]; then
  printf 'error: there is no program %s: build it with ./run, or name another one\n' "$program" >&2
  exit 1
fi
install -D -m 755 "$program" "$here/dwell/bin/$arch/dwell"
printf 'ready: copy the folder %s into the folder `addons` of Home Assistant\n' "$here/dwell"
