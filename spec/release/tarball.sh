#!/usr/bin/env bash
# Builds and installs from the tarball of `make dist`, where neither git nor npm is to be found, and
# has the installed server show the page that the tarball has inside.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
name=orrery-$(packaging/version.sh)
folder=$PWD/build/tarball
server=
trap '[ -z "$server" ] || kill "$server" || true' EXIT

[ -f "build/dist/$name.tar.gz" ] || fail "build/dist has no $name.tar.gz: make dist"
rm -rf "$folder"
mkdir -p "$folder"
tar -xzf "build/dist/$name.tar.gz" -C "$folder"

# Every program of this machine, but for those.
mkdir "$folder/programs"
IFS=: read -ra places <<<"$PATH"
for ((i = ${#places[@]} - 1; i >= 0; i--)); do
  [ -d "${places[$i]}" ] || continue
  find "${places[$i]}/" -maxdepth 1 -xtype f -exec ln -sf -t "$folder/programs" {} +
done
rm -f "$folder"/programs/{git,git-*,node,nodejs,npm,npx}
export PATH=$folder/programs
for program in git npm node; do
  if command -v "$program" >/dev/null; then fail "$program is still to be found"; fi
done
ok "no git, npm or node"

export CCACHE_BASEDIR=$folder/$name CCACHE_NOHASHDIR=1
make -C "$folder/$name" install prefix="$folder/usr" >"$folder/log" 2>&1 ||
  fail "make install" "$(tail -n 20 "$folder/log")"
ok "make install"
grep -q "^version = \"${name#*-}-1\"$" "$folder/$name/$name-1.rockspec" ||
  fail "the rockspec has another version"
ok "$name-1.rockspec"
expect "${name#*-}" "$folder/usr/bin/orrery" version

mkdir "$folder/play"
cd "$folder/play"
expect "cd mine" "$folder/usr/bin/orrery" init mine --from trip
expect "ended at booked" env PATH="$folder/usr/bin:$PATH" make -s -C mine run
"$folder/usr/bin/orrery" serve store --listen 127.0.0.1:0 --ready-file port 2>log &
server=$!
wait_for "the server listens" test -s port
served=$(curl -fsS "http://127.0.0.1:$(cat port)/")
[ "$served" = "$(cat "$folder/$name/ui/dist/index.html")" ] ||
  fail "the server shows another page" "$served"
ok "the server shows the page of the tarball"
kill -TERM "$server"
wait "$server" || fail "the server ends with $?" "$(cat log)"
server=
ok "the server ends at SIGTERM"
