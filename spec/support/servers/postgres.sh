#!/usr/bin/env bash
# A private PostgreSQL server, in a folder of its own: postgres.sh FOLDER SPEC_PROCESS [on]. It obeys lines on stdin ("restart", as
# after a crash; "stop"; "start") with a line in FOLDER/answers each, and ends when stdin or the process that wanted it does;
# then nothing of it is left. Postgres refuses to be root, so root gives it to another user.
set -uo pipefail
folder=$1 wanted_by=$2 sync=${3:-off}
buffers=64MB
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
export LC_ALL=C TZ=UTC PGDATA=$folder/data PGHOST=$folder PGPORT=${PGPORT:-5432}
unset PGUSER PGPASSWORD PGDATABASE PGSERVICE PGOPTIONS
as=()
if [ "$(id -u)" = 0 ]; then
  user=nobody
  if id postgres >/dev/null 2>&1; then user=postgres; fi
  chown "$user" "$folder"
  as=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups)
fi
server=

# Goes with this script, should it be killed.
start() {
  "${as[@]}" setpriv --pdeathsig QUIT "$bin/postgres" -D "$PGDATA" >>"$folder/log" 2>&1 &
  server=$!
  for _ in $(seq 2400); do
    if "$bin/psql" -qAtX -U orrery -d postgres -c 'select 1' >/dev/null 2>&1; then return 0; fi
    kill -0 "$server" 2>/dev/null || return 1
    sleep 0.05
  done
  return 1
}

stop() {
  [ -n "$server" ] || return 0
  kill -CONT "$server" 2>/dev/null
  kill -QUIT "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
}

finish() {
  stop
  rm -rf "$folder"
  exit 0
}
trap finish EXIT
trap 'exit 0' INT TERM HUP

make() {
  "${as[@]}" "$bin/initdb" -D "$PGDATA" -U orrery -A trust -E UTF8 --no-sync >"$folder/log" 2>&1 || return 1
  # What a crash of the machine would lose no spec asks for; that of the server loses nothing. A benchmark's commits are durable,
  # and what it works on fits into memory.
  [ "$sync" = off ] || buffers=512MB
  cat >>"$PGDATA/postgresql.conf" <<END
unix_socket_directories = '$folder'
listen_addresses = ''
fsync = $sync
full_page_writes = $sync
max_connections = 60
shared_buffers = $buffers
logging_collector = off
END
  printf '%s\n' 'local all guarded scram-sha-256' 'local all all trust' 'local replication all trust' >"$PGDATA/pg_hba.conf"
  start
}

answer() { echo "$1 $server" >>"$folder/answers"; }

if make; then answer ready; else answer failed; exit 1; fi
# A look at who wanted it may come in the middle of a line: what was read of it is kept.
line=
while true; do
  if read -r -t 1 more; then
    line+=$more
    case $line in
      restart) stop; start; answer restarted ;;
      stop) stop; answer stopped ;;
      start) start; answer started ;;
    esac
    line=
  elif [ $? -gt 128 ] && kill -0 "$wanted_by" 2>/dev/null; then
    line+=$more
  else
    break
  fi
done
