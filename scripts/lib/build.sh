# Configuring and building by preset, quietly unless something goes wrong. Sourced, never run.
# shellcheck shell=bash disable=SC2034 # its variables are read by the scripts that source it

# shellcheck source=scripts/lib/packages.sh
source "${BASH_SOURCE[0]%/*}/packages.sh"

# The optimised build; on CI a warning is an error and the benchmarks are built.
release_preset=release
if [[ ${CI:-} == true ]]; then
  release_preset=ci
  build_packages+=(libbenchmark-dev)
fi

# configure PRESET OPTIONS...: configures build/PRESET, in silence while it works.
configure() {
  local preset=$1 log
  shift
  if [[ ${CI:-} != true ]] && command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$PWD
    set -- -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DSMELT_PRECOMPILE=OFF "$@"
  fi
  require_compiler
  log=$(cmake --preset "$preset" "$@" 2>&1) && return
  printf '%s\n' "$log" >&2
  command -v apt-get >/dev/null || explain_elsewhere
  fail "configuring failed; build/$preset may stem from another machine: remove it and try again"
}

# Debian 11 and Ubuntu 20.04 install compilers that are too old: say so before CMake does at length.
require_compiler() {
  local compiler=${CXX:-c++}
  "$compiler" -x c++ -std=c++20 -fsyntax-only - >/dev/null 2>&1 <<'CPP' ||
#include <compare>
#include <span>
#include <version>
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 11
#error too old
#endif
CPP
    fail "$compiler cannot build C++20 as smelt needs it: install g++ 11 or later and set CXX to it"
}

# build PRESET TARGET...: builds on all cores.
build() {
  cmake --build --preset "$1" --target "${@:2}" >&2
}

cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }
