# Sets `busted` to the command that runs specs with the build of $preset, and the environment that
# goes with it. A plain build runs them in plain Lua, as users load the module; a sanitized one
# inside its own command, which carries the sanitizer.

busted=(lua5.4)
case $preset in
  asan)
    busted=("$ORRERY_BUILD/orrery" lua)
    # ASan's strstr measures the whole text each time, which makes what is linear quadratic.
    export ASAN_OPTIONS="detect_stack_use_after_return=1:intercept_strstr=0:${ASAN_OPTIONS:-}"
    export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
    ;;
  tsan)
    busted=("$ORRERY_BUILD/orrery" lua)
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$PWD/spec/tsan.supp:${TSAN_OPTIONS:-}"
    # ThreadSanitizer cannot place its shadow among maps as random as newer kernels make them.
    if setarch "$(uname -m)" -R true 2>/dev/null; then busted=(setarch "$(uname -m)" -R "${busted[@]}"); fi
    ;;
esac
export ORRERY_LUA="${busted[*]}" # for specs that start processes of their own

# How often specs repeat what they draw at random (they name other numbers themselves), and which
# of a scenario's faults they try: each, or each so many-th.
few() {
  export ORRERY_KILLS=${ORRERY_KILLS:-$1} ORRERY_RANDOM=${ORRERY_RANDOM:-$2} ORRERY_IMAGES=${ORRERY_IMAGES:-$3}
  export ORRERY_STEP=${ORRERY_STEP:-$4}
}
case $preset${ORRERY_FULL:+, full} in
  release) few 100 300 60 1 ;;
  asan) few 20 100 10 8 ;;
  tsan) few 10 50 10 20 ;;
  asan*full | tsan*full) few 20 300 30 1 ;;
esac

busted+=("$(command -v busted)" --pattern=_spec --output=spec/support/runner/output.lua)

# ORRERY_STORE=postgresql: every store that a spec opens is one in PostgreSQL. All share one server,
# which ends with this script.
if [ "${ORRERY_STORE:-}" = postgresql ]; then
  ORRERY_POSTGRES=$(mktemp -d)
  export ORRERY_POSTGRES
  exec {server}> >(exec spec/support/servers/postgres.sh "$ORRERY_POSTGRES" $$)
  until [ -s "$ORRERY_POSTGRES/answers" ]; do sleep 0.1; done
  grep -q ready "$ORRERY_POSTGRES/answers" || { echo "the PostgreSQL server did not start" >&2 && exit 1; }
  busted+=(--helper=spec/support/on_postgresql.lua)
  export LUA_INIT="@$PWD/spec/support/on_postgresql_child.lua"
fi
