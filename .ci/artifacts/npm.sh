# The npm package, in a project: the program as its command, and the client.
if ! command -v npm >/dev/null; then
  printf 'skipped, there is no npm in the clean root\n'
  exit 0
fi
mkdir project && cd project
npm init --yes >/dev/null
npm() { command npm --silent --offline --no-audit --no-fund "$@"; }
npm install /artifacts/old/dwell-"$OLD_VERSION"-linux-*.tgz
dwell=/root/project/node_modules/.bin/dwell
start "$dwell"
first_answer "$dwell"
stop
npm install /artifacts/new/dwell-"$VERSION"-linux-*.tgz
start "$dwell"
same_conversation "$dwell"
expect function node --input-type=module --eval 'import * as dwell from "dwell"; console.log(typeof dwell.connect)'
stop
npm uninstall dwell
[ ! -e "$dwell" ] || die 'the program is still there'
printf 'installed, answered, upgraded %s to %s, removed\n' "$OLD_VERSION" "$VERSION"
