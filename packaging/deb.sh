#!/usr/bin/env bash
# `make deb`: the Debian packages, built from the tarball of `make dist` into build/deb/. What
# lintian finds is told. QUICK=1 compiles as the release build does, so that ccache has it, for who works on the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
tarball=$(realpath "build/dist/orrery-$(packaging/version.sh).tar.gz")
export DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-parallel=$(nproc)}
if [ -n "${QUICK:-}" ]; then
  export DEB_CFLAGS_SET="-O2 -g" DEB_CPPFLAGS_SET=""
  # debhelper sets a locale, which ccache would tell apart.
  export ORRERY_CMAKE_OPTIONS="-DCMAKE_COMPILE_WARNING_AS_ERROR=ON '-DCMAKE_C_COMPILER_LAUNCHER=env;-u;LC_ALL;ccache'"
fi
# debhelper has a home of its own, where ccache would find nothing.
export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}

rm -rf build/deb
mkdir -p build/deb
tar -xzf "$tarball" -C build/deb
cd build/deb/orrery-*/
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
dpkg-buildpackage --build=binary --unsigned-changes --no-pre-clean
cd ..
lintian --fail-on error,warning ./*.changes
ls -1 ./*.deb
