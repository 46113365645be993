#!/usr/bin/env bash
# Validates the element templates by the schema of Camunda Modeler, with the validator of its
# authors, from npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
command -v npm >/dev/null || fail "npm is missing, which the validator comes from"
folder=build/modeler
mkdir -p "$folder"
npm install --prefix "$folder" --no-audit --no-fund --loglevel=error \
  @bpmn-io/element-templates-validator@2.26.0 >/dev/null
cp spec/release/modeler.mjs "$folder/"
expect "templates are valid" node "$folder/modeler.mjs" docs/modeler/orrery.json
