#!/usr/bin/env bash
# Tries what a release has besides the build: `make release`, or spec/release/run.sh [STEP…]. Each
# step prints what holds. The first that does not hold ends it with 1; else the last line says what
# passed.
set -euo pipefail
cd "$(dirname "$0")/../.."
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(site modeler compilers tarball packages container)
for step in "${steps[@]}"; do
  echo "== $step"
  "spec/release/$step.sh"
done
echo "passed: ${steps[*]}"
