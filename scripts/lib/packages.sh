# Packages of Debian and Ubuntu that the scripts need: finds what is missing and installs that alone.
# Sourced, never run. On other systems it names what to install.
# shellcheck shell=bash disable=SC2034 # its variables are read by the scripts that source it

build_packages=(g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libeigen3-dev libdnnl-dev catch2)

# The command whose presence stands for a package, wherever it came from.
command_of() {
  case $1 in
    g++) echo "${CXX:-c++}" ;;
    cmake) echo cmake ;;
    ninja-build) echo ninja ;;
    clang-format-* | clang-tidy-* | shellcheck) echo "$1" ;;
  esac
}

is_installed() {
  local tool
  tool=$(command_of "$1")
  if [[ -n $tool ]]; then
    command -v "$tool" >/dev/null
  elif command -v dpkg-query >/dev/null; then
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
  fi # without dpkg, CMake finds out whether a library is there
}

# as_root COMMAND...: runs it as root, by sudo where we are not.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "installing them takes root, and there is no sudo here"
  fi
}

# install_packages PACKAGE...: installs those that are missing; asks apt for nothing otherwise.
install_packages() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "missing: ${missing[*]}"
  command -v apt-get >/dev/null || explain_elsewhere
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  as_root "${apt[@]}" update || say "apt-get update failed; trying with the lists at hand"
  as_root "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]}"
}

explain_elsewhere() {
  fail "this system has no apt-get. Install a C++20 compiler (g++ 11 or later), CMake 3.22 or" \
    "later, Ninja, fmt, nlohmann/json, CLI11, Eigen 3 and Catch2 with its own package manager," \
    "then run this again"
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

fail() {
  say "$@"
  exit 1
}
