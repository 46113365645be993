#!/usr/bin/env bash
# database.sh start FOLDER SCRIPT, database.sh stop FOLDER: a server as PostgreSQL's image starts
# it, by the variables that the image reads, at 127.0.0.1 with passwords.
set -euo pipefail
folder=$2
bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1)
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups env PATH="$bin:$PATH" \
  "$@"; }
case $1 in
  start)
    rm -rf "$folder"
    install -d -o postgres -g postgres "$folder"
    printf %s "$POSTGRES_PASSWORD" >"$folder/password"
    chown postgres "$folder/password"
    cd "$folder"
    as_postgres initdb -D "$folder/data" --username="$POSTGRES_USER" --pwfile="$folder/password" \
      --auth-local=trust \
      --auth-host=scram-sha-256 >"$folder/log"
    as_postgres pg_ctl -D "$folder/data" -w -l "$folder/server.log" -o \
      "-c listen_addresses=127.0.0.1 -c unix_socket_directories=$folder" start
    as_postgres createdb --host "$folder" --username "$POSTGRES_USER" "$POSTGRES_DB"
    cd "$OLDPWD"
    as_postgres env PGHOST="$folder" bash <"$3"
    ;;
  stop) as_postgres pg_ctl -D "$folder/data" -m fast stop ;;
esac
