#!/usr/bin/env bash
# Installs the SDKs that tests speak through. $1: the folder with their lists, $2: where they go. Nothing is done where they are
# there already; a list that has changed makes them anew.
set -euo pipefail

lists=$1 folder=$2
mark=$folder/$(cat "$lists/package-lock.json" "$lists"/requirements*.txt | sha256sum | cut -c 1-16)
if [ -e "$mark" ]; then
  exit
fi
rm -rf "$folder"
mkdir -p "$folder"
cp "$lists/package.json" "$lists/package-lock.json" "$lists/.npmrc" "$folder"
npm ci --prefix "$folder" --loglevel=error &
npm=$!
python3 -m venv "$folder/venv"
# The lists name everything, so there is nothing to look for.
pip() { "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --no-deps "$@"; }
pip --requirement "$lists/requirements.txt"
# What cannot be installed beside it comes into a folder of its own, which PYTHONPATH puts in front.
pip --target "$folder/openai2" --requirement "$lists/requirements-openai2.txt"
wait "$npm"
touch "$mark"
