#!/usr/bin/env bash
# steady.sh TIMES LOAD [PATH...]: runs each file of specs that starts a process, a thread, a server
# or a browser so many times with the release build, alone, beside so many busy loops. None may fail
# once. Without paths: all such files. ROUND_FIRST=N goes on where an earlier run was stopped.
set -uo pipefail
cd "$(dirname "$0")/../../.."
times=$1 load=$2
shift 2
STARTS='io\.popen|os\.execute|start_executor|support\.serve|servers\.|postgres|elsewhere\('

mapfile -t files < <(grep -lE "$STARTS" $(find "${@:-spec}" -name '*_spec.lua' | grep -vE '^spec/(bench|fuzz|release)/') | LC_ALL=C sort)
busy=()
for ((i = 0; i < load; i++)); do (while :; do :; done) & busy+=($!); done
log=$(mktemp)
trap 'kill "${busy[@]}" 2>/dev/null; rm -f "$log"' EXIT
trap 'exit 1' INT TERM

ran=0 fell=0
for ((round = ${ROUND_FIRST:-1}; round <= times; round++)); do
  echo "== round $round of $times, ${#files[@]} files"
  for file in "${files[@]}"; do
    FILES_AT_ONCE=1 TRIES_MAX=0 spec/run release "$file" >"$log" 2>&1
    if [ $? = 0 ]; then ran=$((ran + 1))
    else
      fell=$((fell + 1))
      sed -n '/^== What fell$/,$p' "$log"
    fi
  done
done
echo "$ran passed, $fell failed"
[ "$fell" = 0 ]
