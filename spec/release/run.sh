#!/usr/bin/env bash
# Tries what a release has besides the build: `make release`, or spec/release/run.sh [site…]
# The last line says what passed; a step that fails ends it.
set -euo pipefail
cd "$(dirname "$0")/../.."
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(site)
for step in "${steps[@]}"; do
  echo "== $step"
  "spec/release/$step.sh"
done
echo "passed: ${steps[*]}"
