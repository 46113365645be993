#!/usr/bin/env bash
# A standby of the private server in PRIMARY, in a folder of its own: standby.sh FOLDER PRIMARY SPEC_PROCESS. It says "ready" in
# FOLDER/answers when it follows, obeys "promote" on stdin with a line there, and ends when stdin or the process that wanted it does.
set -uo pipefail
folder=$1 primary=$2 wanted_by=$3
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
export LC_ALL=C TZ=UTC PGDATA=$folder/data PGPORT=${PGPORT:-5432}
unset PGHOST PGUSER PGPASSWORD PGDATABASE PGSERVICE PGOPTIONS
as=()
if [ "$(id -u)" = 0 ]; then
  user=$(stat -c %U "$primary/data")
  chown "$user" "$folder"
  as=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups)
fi
server=

finish() {
  [ -n "$server" ] && kill -QUIT "$server" 2>/dev/null && wait "$server" 2>/dev/null
  rm -rf "$folder"
  exit 0
}
trap finish EXIT
trap 'exit 0' INT TERM HUP

ask() { "$bin/psql" -qAtX -h "$folder" -U orrery -d postgres -c "$1" 2>/dev/null; }

until_so() { # SQL that answers t
  for _ in $(seq 1200); do
    [ "$(ask "$1")" = t ] && return 0
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

make() {
  "${as[@]}" "$bin/pg_basebackup" -h "$primary" -U orrery -D "$PGDATA" -R -X stream -c fast --no-sync >"$folder/log" 2>&1 || return 1
  echo "unix_socket_directories = '$folder'" >>"$PGDATA/postgresql.conf"
  "${as[@]}" setpriv --pdeathsig QUIT "$bin/postgres" -D "$PGDATA" >>"$folder/log" 2>&1 &
  server=$!
  until_so "SELECT status = 'streaming' FROM pg_stat_wal_receiver"
}

answer() { echo "$1" >>"$folder/answers"; }

if make; then answer ready; else answer failed; exit 1; fi
# A look at who wanted it may come in the middle of a line: what was read of it is kept.
line=
while true; do
  if read -r -t 1 more; then
    line+=$more
    case $line in
      promote) ask "SELECT pg_promote()" >/dev/null; until_so "SELECT NOT pg_is_in_recovery()" && answer promoted ;;
    esac
    line=
  elif [ $? -gt 128 ] && kill -0 "$wanted_by" 2>/dev/null; then
    line+=$more
  else
    break
  fi
done
