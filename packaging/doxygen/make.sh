#!/usr/bin/env bash
# `make docs`: the reference of the C library as pages below build/docs, by Doxygen. It fails when
# Doxygen has something to warn of.
#   packaging/doxygen/make.sh [HEADERS [OUT]]
set -euo pipefail
HEADERS=$(realpath "${1:-$(dirname "$0")/../../runtime/include}")
OUT=$(realpath -m "${2:-$(dirname "$0")/../../build/docs}")
cd "$(dirname "$0")/../.."
VERSION=$(packaging/version.sh)
export HEADERS OUT VERSION
mkdir -p "$OUT"
doxygen packaging/doxygen/Doxyfile
echo "$OUT/html/index.html"
