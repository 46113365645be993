#!/usr/bin/env bash
# Installs the packages of `make deb` in a root of their own and uses them as a user would: the
# tutorial, a program in Lua, a host in C, the service's server with its page. Then it removes them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
needs_root "$0"
version=$(packaging/version.sh)
root=$PWD/build/roots/packages-$$
server=

at_exit() {
  [ -z "$server" ] || kill "$server" || true
  drop_root "$root"
}
trap at_exit EXIT

# The file of a package, as it is called in the root.
deb() {
  local found
  found=$(cd build/deb && ls -1 "$1_$version"_*.deb) ||
    fail "build/deb has no $1 of $version: make deb"
  echo "/debs/$found"
}

install_debs() {
  local name files=()
  for name in "$@"; do files+=("$(deb "$name")"); done
  install_inside "${files[@]}"
  ok "apt-get install ${files[*]}"
}

holds_files() {
  local file
  for file in "$@"; do [ -s "$root/$file" ] || fail "the packages have no /$file"; done
  ok "$*"
}

try_command() {
  install_debs orrery
  expect "$version" inside orrery version
  holds_files usr/share/man/man1/orrery.1.gz usr/share/man/man1/orrery-serve.1.gz \
    usr/share/doc/orrery/docs/tutorial.md \
    usr/share/bash-completion/completions/orrery usr/share/zsh/vendor-completions/_orrery \
    usr/share/fish/vendor_completions.d/orrery.fish
  expect "-F _orrery orrery" inside bash -c \
    '. /usr/share/bash-completion/completions/orrery && complete -p orrery'
}

# The tutorial, played by the player of the specs.
try_tutorial() {
  mkdir -p "$root/play/spec/support" "$root/play/spec/cli" "$root/play/docs"
  cp spec/release/tutorial.lua "$root/play/"
  cp spec/support/page.lua spec/support/folder.lua "$root/play/spec/support/"
  cp spec/cli/command.lua "$root/play/spec/cli/"
  cp docs/tutorial.md "$root/play/docs/"
  expect "chapters" inside sh -c 'cd /play && ORRERY_INSTALLED=/usr/bin orrery lua tutorial.lua'
}

try_lua() {
  install_debs lua-orrery
  install_inside lua5.4
  mkdir -p "$root/play"
  sed -n '/^```lua$/,/^```$/{/^```/d;p}' README.md >"$root/play/greeting.lua"
  expect "completed" inside lua5.4 /play/greeting.lua
}

# A host with a condition, a script in Lua and a decision: found by pkg-config and by CMake.
try_host() {
  install_debs liborrery1 liborrery-lua1 liborrery-dev
  install_inside gcc libc6-dev pkg-config cmake make
  mkdir -p "$root/play"
  cp -r spec/release/host "$root/play/host"
  cp examples/automation/main.c "$root/play/host/automation.c"
  inside sh -c 'cd /play/host && gcc -Wall -Werror -o by_pkg_config main.c \
      $(pkg-config --cflags --libs orrery-lua)'
  inside sh -c 'cd /play/host && cmake -B build . >log && cmake --build build >>log' ||
    fail "cmake" "$(cat "$root/play/host/log")"
  for host in by_pkg_config build/host; do
    expect "shipped by ship" inside sh -c "cd /play/host && ./$host models '{\"goods\": 20}'"
    expect "weight = 22" inside sh -c "cd /play/host && ./$host models '{\"goods\": 20}'"
  done
  # The library without Lua, shared and as an archive.
  inside sh -c 'cd /play/host && gcc -Wall -Werror -o shared automation.c \
      $(pkg-config --cflags --libs orrery libuv)'
  inside sh -c 'cd /play/host && gcc -Wall -Werror automation.c $(pkg-config --cflags orrery) \
      -l:liborrery.a $(pkg-config --static --libs orrery | sed "s/-lorrery //") -o static'
  expect "liborrery.so.${version%%.*} =>" inside ldd /play/host/shared
  ! inside ldd /play/host/static | grep orrery ||
    fail "the host of the archive needs the shared library"
  ok "hosts of liborrery.so and liborrery.a are built"
}

# The server as the service starts it, but at a free port, and what a browser asks for first.
try_server() {
  local port page script
  install_debs orrery-ui
  inside install -d -o orrery -g orrery -m 0750 /var/lib/orrery # as systemd does, by StateDirectory
  chroot --userspec=orrery:orrery "$root" /usr/bin/env -i /usr/bin/orrery serve \
    --config /etc/orrery/orrery.conf --listen 127.0.0.1:0 \
    --ready-file /var/lib/orrery/port 2>"$root.server" &
  server=$!
  wait_for "the server listens" test -s "$root/var/lib/orrery/port"
  port=$(cat "$root/var/lib/orrery/port")
  expect '"version"' curl -fsS "http://127.0.0.1:$port/engine-rest/version"
  page=$(curl -fsS "http://127.0.0.1:$port/")
  script=$(sed -n 's/.*src="\([^"]*\.js\)".*/\1/p' <<<"$page" | head -n 1)
  [ -n "$script" ] || fail "the page has no script" "$page"
  curl -fsS --compressed -o "$root.script" "http://127.0.0.1:$port/${script#/}"
  [ -s "$root.script" ] || fail "the page's script is empty"
  ok "the page, with $script"
  kill -TERM "$server"
  wait "$server" || fail "the server ends with $? at SIGTERM" "$(cat "$root.server")"
  server=
  ok "the server ends at SIGTERM"
}

# What systemd makes of the unit; 0 is the tightest profile, 10 the loosest.
try_service() {
  expect "" systemd-analyze verify --root="$root" --man=no --recursive-errors=no orrery.service
  expect "OK" systemd-analyze security --offline=true --root="$root" --threshold=20 --no-pager \
    orrery.service
}

try_removal() {
  inside apt-get purge -y -q orrery '.*orrery.*' >"$root.log" 2>&1 ||
    fail "apt-get purge" "$(tail -n 20 "$root.log")"
  left=$(cd "$root" && find etc usr -path '*orrery*' ! -path 'usr/share/doc*')
  [ -z "$left" ] || fail "what a purge leaves" "$left"
  ok "apt-get purge leaves stores alone, and nothing else"
}

deb orrery >/dev/null
fresh_root "$root"
mkdir "$root/debs"
cp build/deb/*.deb "$root/debs/"
inside apt-get update -q >"$root.log" 2>&1 || fail "apt-get update" "$(tail "$root.log")"
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(command tutorial lua host server service removal)
for step in "${steps[@]}"; do "try_$step"; done
