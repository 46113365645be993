#!/usr/bin/env bash
# Plays the steps of packaging/container/Dockerfile in roots of their own, starts what they make as
# a container would, and then compose.yaml with the PostgreSQL of this machine. The packages are
# those of `make deb`; WHOLE=1 plays the stage that makes them, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
needs_root "$0"
.ci/packages lua-dkjson python3-yaml postgresql iproute2 curl procps
version=$(packaging/version.sh)
if [ -n "${WHOLE:-}" ]; then
  [ -f "build/dist/orrery-$version.tar.gz" ] || fail "build/dist has no tarball: make dist"
  export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}
else
  compgen -G "build/deb/orrery_${version}_*.deb" >/dev/null || fail "build/deb is empty: make deb"
  export DEBS=$PWD/build/deb
fi
PATH=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -n 1):$PATH
lua5.4 spec/release/container.lua
