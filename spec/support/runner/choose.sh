# Which files of specs run, and in which order.
#
# A file may say what it is about in a line "-- Marks: WORD, ..." at its head:
#   threads  its specs start threads, which is what ThreadSanitizer looks at
#   load     it is about load, time, many processes, or what a browser does: no news to a sanitizer
#   commands it starts one command after another, which a sanitizer makes slow and has seen elsewhere
#   records  its models use every kind of record between them: they run on PostgreSQL, too

# Below these folders are specs that have a make target of their own.
APART='^spec/(bench|fuzz|release)/'

marked() { grep -lE -- "^-- Marks:.*\b$1\b" "${@:2}" </dev/null; }

# The files below the given paths. `lane` is what the run is for: a preset, or postgresql.
files_below() { find "$@" -name '*_spec.lua' | sed 's|^\./||' | LC_ALL=C sort -u; }

# Of a full run: all that can tell anything at all. ThreadSanitizer hands a signal on when its thread
# calls something, so a loop that calls nothing never hears of one (spec/cli/signal_spec.lua). What
# tries both kinds of stores itself (spec/support/stores.lua) has been on PostgreSQL already.
choose_full() {
  case $1 in
    release) printf '%s\n' "${@:2}" ;;
    asan) printf '%s\n' "${@:2}" | grep -v '^spec/ui/' ;;
    tsan) { marked threads "${@:2}"; grep -lE 'start_executor|support\.serve' "${@:2}"; } | grep -vE '^spec/(ui/|cli/signal_spec)' | LC_ALL=C sort -u ;;
    postgresql) printf '%s\n' "${@:2}" | grep -E '^spec/(exec|executor|conformance)/' | xargs grep -L 'support\.stores' ;;
  esac
}

choose_files() {
  local lane=$1 all
  shift
  if [ "$*" != spec ]; then files_below "$@"; return; fi
  mapfile -t all < <(files_below spec | grep -vE "$APART")
  if [ -n "${ORRERY_FULL:-}" ]; then
    choose_full "$lane" "${all[@]}"
    return
  fi
  case $lane in
    release) printf '%s\n' "${all[@]}" ;;
    asan) printf '%s\n' "${all[@]}" | grep -vxFf <(marked '(load|commands)' "${all[@]}") ;;
    tsan) marked threads "${all[@]}" ;;
    postgresql) marked records "${all[@]}" ;;
  esac
}

# What takes longest begins first, so that no file runs on alone in the end.
longest_first() {
  local all one
  all=$(cat)
  while read -r one; do grep -xF -- "$one" <<<"$all"; done <spec/support/runner/longest.txt
  grep -vxFf spec/support/runner/longest.txt <<<"$all"
}
