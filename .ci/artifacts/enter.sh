#!/usr/bin/env bash
# Makes a clean root in namespaces of its own, and runs one trial there. The root has this machine's /usr below a layer of its
# own, new folders for everything else, the artifacts in /artifacts, no certificate authorities, and no network but loopback.
# $1: the folder with artifacts and for the root, $2: this folder, $3: the name of the trial.
set -euo pipefail
work=$1 here=$2 trial=$3
root=$work/root

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p usr etc var/lib var/log run tmp root home proc dev artifacts trial layer/upper layer/work
chmod 1777 tmp
mount -t overlay -o "lowerdir=/usr,upperdir=$root/layer/upper,workdir=$root/layer/work" overlay usr ||
  # Where layers cannot be mounted, /usr is only read: then nothing can be installed into it.
  { mount --bind /usr usr && mount -o remount,bind,ro usr; }
for name in bin sbin lib lib32 lib64 libx32; do
  if [ -L "/$name" ]; then cp -P "/$name" "$name"; fi
done
cp -a /etc/ld.so.cache /etc/alternatives etc/
printf 'root:x:0:0:root:/root:/bin/sh\n' >etc/passwd
printf 'root:x:0:\n' >etc/group
printf '127.0.0.1 localhost\n' >etc/hosts
printf 'hosts: files\n' >etc/nsswitch.conf
mount --bind "$work" artifacts
mount -o remount,bind,ro artifacts
cp "$here"/*.sh trial/
mount -t proc proc proc
for name in null zero full random urandom; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
# Python and node may be installed elsewhere than in /usr.
for program in python3 node; do
  found=$(readlink -f "$(command -v "$program" || true)")
  if [ "$program" = python3 ] && [ -n "$found" ]; then found=$(python3 -c 'import sys; print(sys.base_prefix)')/bin/python3; fi
  prefix=${found%/bin/*}
  case $prefix in
    '' | /usr | /usr/* | "$TREE"/*) ;;
    *)
      mkdir -p ".$prefix"
      mount --bind "$prefix" ".$prefix"
      mount -o remount,bind,ro ".$prefix"
      PATH=$prefix/bin:$PATH
      ;;
  esac
done
if [ -e "$root$TREE" ]; then
  printf 'the tree can be seen in the clean root\n'
  exit 1
fi
# A network of its own, with nothing but loopback; it is down at first.
exec unshare --net chroot "$root" /usr/bin/env -i PATH="$PATH" HOME=/root LANG=C.UTF-8 \
  OLD_VERSION="$OLD_VERSION" VERSION="$VERSION" EXPECT_PAGE="$EXPECT_PAGE" \
  bash -c '. /trial/steps.sh && loopback_up && . "/trial/$1.sh"' bash "$trial"
