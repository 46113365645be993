#!/usr/bin/env bash
# PostgreSQL's image runs this when it makes the database: the role that engines come as. `orrery
# schema` gives it its rights.
set -euo pipefail
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" -v ON_ERROR_STOP=1 -v \
  password="$ENGINE_PASSWORD" <<'SQL'
CREATE ROLE engine LOGIN PASSWORD :'password';
SQL
