#!/usr/bin/env bash
# A host in C is built from what the packages have, by pkg-config and by CMake, shared and static, and runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
. spec/release/lib.sh
root=$PWD/build/root
unpack "$root" liborrery1 liborrery-dev
cp -r examples/embed "$root/embed"
cd "$root/embed"
place=$(dirname "$(find "$root/usr/lib" -name orrery.pc)")
export PKG_CONFIG_PATH=$place LD_LIBRARY_PATH=${place%/*}

# shellcheck disable=SC2046
cc main.c $(pkg-config --cflags --libs orrery) -o embed
expect "in the till: 4200" ./embed purchase.bpmn 4200
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(host C)
find_package(orrery 1 REQUIRED)
add_executable(shared main.c)
target_link_libraries(shared orrery::orrery)
add_executable(static main.c)
target_link_libraries(static orrery::static)
CMAKE
cmake -B build -DCMAKE_PREFIX_PATH="$root/usr" . >log && cmake --build build >>log || { cat log; exit 1; }
for kind in shared static; do expect "in the till: 4200" "build/$kind" purchase.bpmn 4200; done
