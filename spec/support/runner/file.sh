# Runs one file of specs in a process group of its own. What it leaves in its folder:
#   log      what it printed
#   status   its exit code, written last
#   seconds  how long it took
#   hung     the stacks of its threads, if a spec of it did not end
#   report*  what a sanitizer had to say, in this process or in one that it started
# and what spec/support/runner/output.lua writes.

IT_SECONDS_MAX=${IT_SECONDS_MAX:-300} # one spec that takes longer hangs
LOOK_SECONDS=5                        # between two looks at what runs
FRAMES_MAX=60                         # of each stack; gdb can find thousands in what is none

run_file() {
  local file=$1 folder=$2 began=$SECONDS status
  mkdir -p "$folder"
  echo "$file" >"$folder/doing"
  # What a shell starts in the background ignores SIGINT, which specs send.
  ORRERY_RUN=$folder ORRERY_STORES=$folder/stores \
    ASAN_OPTIONS="log_path=$folder/report:${ASAN_OPTIONS:-}" \
    UBSAN_OPTIONS="log_path=$folder/report:${UBSAN_OPTIONS:-}" \
    TSAN_OPTIONS="log_path=$folder/report:${TSAN_OPTIONS:-}" \
    setsid env --default-signal=INT,QUIT,TERM "${busted[@]}" "$file" >"$folder/log" 2>&1 </dev/null &
  echo $! >"$folder/group"
  { wait $!; } 2>/dev/null # bash would tell of each that is killed
  status=$?
  echo $((SECONDS - began)) >"$folder/seconds"
  echo "$status" >"$folder/status.new"
  mv "$folder/status.new" "$folder/status"
}

# A process and all that it started, however far below.
family() {
  local pid
  for pid in "$@"; do
    echo "$pid"
    # shellcheck disable=SC2046
    family $(pgrep -P "$pid")
  done
}

# The stacks of all threads of a file that hangs; then it is ended.
end_hung() {
  local folder=$1 members pid
  mapfile -t members < <(family "$(cat "$folder/group")")
  {
    echo "no end after $IT_SECONDS_MAX s: $(cat "$folder/doing")"
    for pid in "${members[@]}"; do
      echo "-- $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
      if command -v gdb >/dev/null; then timeout 60 gdb -p "$pid" -batch -ex "thread apply all bt $FRAMES_MAX" 2>/dev/null
      else echo "(gdb would show its stacks)"; fi
    done
  } >"$folder/hung"
  kill -KILL "${members[@]}" 2>/dev/null
}

# Ends what hangs of the files that run in the folders below $1, until it is killed itself.
watch_for_hangs() {
  local folder
  while sleep "$LOOK_SECONDS" >/dev/null 2>&1; do # the sleep outlives it, and must not hold a pipe open
    for folder in "$1"/*/; do
      if [ -f "$folder/status" ] || [ -f "$folder/hung" ] || [ ! -f "$folder/doing" ]; then continue; fi
      if [ $(($(date +%s) - $(stat -c %Y "$folder/doing"))) -gt "$IT_SECONDS_MAX" ]; then end_hung "$folder"; fi
    done
  done
}

# Why a file fell: "" when it did not.
#   hung, reported: it is not tried again; failed: it is
verdict() {
  local folder=$1 passed failures=1
  if [ -f "$folder/hung" ]; then echo hung; return; fi
  if compgen -G "$folder/report*" >/dev/null; then echo reported; return; fi
  read -r passed failures 2>/dev/null <"$folder/counts"
  # One that falls after its last spec leaves something open, or crashes while it closes.
  if [ "${failures:-1}" != 0 ] || [ "$(cat "$folder/status")" != 0 ]; then echo failed; fi
}

LINES_MAX=150

# What there is to say of a file that fell.
tell_fallen() {
  local folder=$1
  if [ -f "$folder/hung" ]; then cat "$folder/hung"; fi
  # shellcheck disable=SC2086
  if compgen -G "$folder/report*" >/dev/null; then cat "$folder"/report* | head -n $LINES_MAX; fi
  if grep -qE '^(Failure|Error) ' "$folder/log"; then grep -E -A 30 '^(Failure|Error) ' "$folder/log" | head -n $LINES_MAX
  else tail -n 30 "$folder/log"; fi
}
