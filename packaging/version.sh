#!/usr/bin/env bash
# The version, as the public header has it.
set -euo pipefail
cd "$(dirname "$0")/.."
sed -n 's/^#define ORR_VERSION "\([0-9.]*\)".*$/\1/p' runtime/include/orrery.h
