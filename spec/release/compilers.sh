#!/usr/bin/env bash
# A compiler for 32 bits is refused when the build is configured; every other compiler of this
# machine builds everything without a warning. Those that are missing are named.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
folder=$PWD/build/compilers
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
mkdir -p "$folder"

# No library for 32 bits is needed to ask for its size of a pointer.
rm -rf "$folder/m32"
if cmake -G Ninja -B "$folder/m32" -DCMAKE_C_FLAGS=-m32 \
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY . >"$folder/log" 2>&1; then
  fail "a compiler for 32 bits is not refused"
fi
grep -q "Orrery needs a 64-bit system" "$folder/log" ||
  fail "a compiler for 32 bits is refused for another reason" "$(cat "$folder/log")"
ok "a compiler for 32 bits is refused: $(grep "64-bit system" "$folder/log")"

for compiler in ${COMPILERS:-gcc-12 gcc-13 gcc-14 clang-14 clang-16 clang-19}; do
  if ! command -v "$compiler" >/dev/null; then
    echo "not here: $compiler"
    continue
  fi
  cmake --preset release -B "$folder/$compiler" -DCMAKE_C_COMPILER="$compiler" >"$folder/log" \
    2>&1 &&
    cmake --build "$folder/$compiler" >"$folder/log" 2>&1 ||
      fail "$compiler" "$(grep -A8 -m 5 "error:" "$folder/log" || tail "$folder/log")"
  ok "$compiler: $("$folder/$compiler/orrery" version)"
done
