# The container image, unpacked as an engine does it: digests are checked, and user, environment, command and health check are
# those of its configuration. Its root is the layer, and is only read; /data is a volume.
blob() { printf '%s/blobs/sha256/%s' "$1" "${2#sha256:}"; }

# $1: the archive, $2: where its layout goes, $3: the root.
unpack() {
  mkdir -p "$2" "$3"
  tar -xf "$1" -C "$2"
  local file
  for file in "$2"/blobs/sha256/*; do
    [ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "$(basename "$file")" ] || die "$file has another digest"
  done
  manifest=$(blob "$2" "$(jq -r '.manifests[0].digest' "$2/index.json")")
  config=$(blob "$2" "$(jq -r '.config.digest' "$manifest")")
  layer=$(blob "$2" "$(jq -r '.layers[0].digest' "$manifest")")
  tar -xf "$layer" -C "$3" --numeric-owner
  local unpacked
  unpacked=$(case $(jq -r '.layers[0].mediaType' "$manifest") in *+gzip) gzip -dc "$layer" ;; *) cat "$layer" ;; esac | sha256sum)
  [ "$(jq -r '.rootfs.diff_ids[0]' "$config")" = "sha256:${unpacked%% *}" ] || die 'the layer is another one when unpacked'
}

# Mounts a root as a container has it: /proc is there, and it is read-only but for the volume and /tmp.
mount_root() { # $1: the root
  mount --bind "$1" "$1"
  mount --bind /root/volume "$1/data"
  mount -t tmpfs tmpfs "$1/tmp"
  mkdir "$1/proc"
  mount -t proc proc "$1/proc"
  mount -o remount,bind,ro "$1"
}

# The environment of the image has another PATH.
chroot=$(command -v chroot)

# Runs the program of the image with its user and environment, as its entry point.
in_image() {
  local words
  mapfile -t words < <(jq -r '.config.Env[]' "$config")
  mapfile -t entry < <(jq -r '.config.Entrypoint[]' "$config")
  env -i "${words[@]}" "$chroot" --userspec="$(jq -r .config.User "$config")" "$image" "${entry[@]}" "$@"
}

mkdir -p volume && chown 65532:65532 volume && chmod 700 volume
for release in "old $OLD_VERSION" "new $VERSION"; do
  read -r folder version <<<"$release"
  image=/root/image-$folder
  unpack /artifacts/"$folder"/dwell-"$version"-image-*.tar "/root/layout-$folder" "$image"
  [ "$(jq -r '.config.Labels["org.opencontainers.image.version"]' "$config")" = "$version" ] || die 'the version is wrong'
  mount_root "$image"
  start in_image
  [ "$(jq -c '.config.Cmd' "$config")" = '["serve"]' ] || die 'the image starts something else'
  ps_user=$(stat -c %u "/proc/$(pgrep -n -x dwell)")
  [ "$ps_user" = 65532 ] || die "the server runs as $ps_user"
  mapfile -t check < <(jq -r '.config.Healthcheck.Test[1:][]' "$config")
  [ "${check[0]}" = /usr/bin/dwell ] || die 'the health check is another program'
  expect ready in_image "${check[@]:1}"
  if [ "$folder" = old ]; then first_answer in_image; else same_conversation in_image; fi
  kill -TERM "$(pgrep -n -x dwell)"
  wait "$server" || die "the server did not end cleanly: $(cat /tmp/server.log)"
  umount -R "$image"
  rm -rf "$image" "/root/layout-$folder"
done
[ -e volume/journal.db ] || die 'the volume is empty'
printf 'unpacked, answered, upgraded %s to %s, removed\n' "$OLD_VERSION" "$VERSION"
