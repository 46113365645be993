#!/usr/bin/env bash
# The ABI of the C library, by libabigail (Debian's abigail-tools):
#   spec/stability/abi.sh dump [SOURCE]         writes it to standard output
#   spec/stability/abi.sh check DUMP [SOURCE]   fails where a program that was built with what was
#                                               dumped would stumble over what SOURCE has
# docs/stability.md says when the dump in the repository is made anew.
set -euo pipefail
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

dump() {
  lua5.4 "$here/abi_stub.lua" "$1" >"$work/stub.c"
  "${CC:-cc}" -std=c11 -g -O0 -shared -fPIC -Wl,-soname,liborrery -I"$1/runtime/include" \
    -o "$work/liborrery.so" "$work/stub.c"
  abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed --no-architecture \
    --type-id-style hash "$work/liborrery.so" | sed "s|path='[^']*'|path='orrery.h'|"
}

case ${1:-}:$# in
  dump:1 | dump:2) dump "${2:-.}" ;;
  check:2 | check:3)
    dump "${3:-.}" >"$work/today.abi"
    abidiff --no-architecture --no-added-syms --suppressions "$here/abi.suppress" "$2" "$work/today.abi"
    ;;
  *)
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
    ;;
esac
