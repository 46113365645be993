# For sourcing by the scripts beside it, from the project's folder. A step that does not hold ends
# the script.

ok() { echo "ok: $*"; }

fail() {
  printf '%s\n' "failed: $*" >&2
  exit 1
}

# expect TEXT COMMAND...: runs it; it succeeds, and its output has the text.
expect() {
  local text=$1 out
  shift
  out=$("$@" 2>&1) || fail "$*" "$out"
  case $out in
    *"$text"*) ok "$* (\"$text\")" ;;
    *) fail "$* does not say \"$text\" but" "$out" ;;
  esac
}

# wait_for WHAT COMMAND...: tries the command until it succeeds, for at most a minute.
wait_for() {
  local what=$1 tries=600
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "$what did not come about within a minute"
    sleep 0.1
  done
  ok "$what"
}

needs_root() { [ "$(id -u)" = 0 ] ||
  fail "$1 makes a root of its own, for which it has to be run as root"; }

# The place that this machine's apt has the packages of the system from.
mirror() {
  local found
  found=$(apt-get indextargets --format '$(SITE)' "Created-By: Packages" "Codename: $(suite)" |
    head -n 1)
  echo "${found:-http://deb.debian.org/debian}"
}

suite() { . /etc/os-release && echo "${SUITE:-$VERSION_CODENAME}"; }

# fresh_root FOLDER: a system with nothing but what every installation has. The first one is kept as
# a tarball below build/roots, which later ones are unpacked from.
fresh_root() {
  local root=$1 kept
  kept=$PWD/build/roots/$(suite).tar
  if [ ! -f "$kept" ]; then
    .ci/packages debootstrap
    rm -rf "$kept.folder"
    mkdir -p "$kept.folder"
    debootstrap --variant=minbase "$(suite)" "$kept.folder" "$(mirror)" >"$kept.log" ||
      fail "debootstrap; see $kept.log"
    tar -C "$kept.folder" -cf "$kept.new" .
    rm -rf "$kept.folder"
    mv "$kept.new" "$kept"
  fi
  drop_root "$root"
  mkdir -p "$root"
  tar -C "$root" -xf "$kept"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  echo 'APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/recommends"
  mount -t proc proc "$root/proc"
}

# drop_root FOLDER: removes it, if it is there.
drop_root() {
  if mountpoint -q "$1/proc"; then umount "$1/proc"; fi
  rm -rf --one-file-system "$1"
}

# inside COMMAND...: runs a command in the folder $root as if that were the system.
inside() { env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }

install_inside() { inside apt-get install -y -q "$@" >"$root.log" 2>&1 ||
  fail "apt-get install $*" "$(tail -n 20 "$root.log")"; }
