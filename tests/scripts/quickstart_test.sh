#!/usr/bin/env bash
# What the scripts ask of apt, on machines made of stubs: a folder of fake commands is the whole
# PATH, so neither this machine's packages nor its apt are seen or touched.
set -uo pipefail
scripts=$(cd "${BASH_SOURCE[0]%/*}/../../scripts" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# stub NAME BODY: a command of the fake machine.
stub() {
  printf '#!%s\n%s\n' "$BASH" "$2" >"$machine/$1"
  chmod +x "$machine/$1"
}

# fresh_machine MISSING...: root on Debian with every package there but those named.
fresh_machine() {
  machine=$work/machine
  rm -rf "$machine" "$work/log"
  mkdir "$machine"
  : >"$work/log"
  ln -s "$(command -v env)" "$machine/env"
  stub id 'echo 0'
  stub apt-get "echo \"apt-get \$*\" >>'$work/log'"
  stub dpkg-query "missing=' $* '; [[ \$missing == *\" \${!#} \"* ]] && exit 1; echo installed"
  local tool
  for tool in c++ cmake ninja; do stub "$tool" :; done
  for tool in "$@"; do
    case $tool in
      g++) rm "$machine/c++" ;;
      cmake) rm "$machine/cmake" ;;
      ninja-build) rm "$machine/ninja" ;;
    esac
  done
}

# install: what the scripts do first, on the fake machine; leaves its output and exit status.
install() {
  output=$(PATH=$machine "$BASH" -euo pipefail -c \
    "source '$scripts/lib/build.sh'; install_packages \"\${build_packages[@]}\"" quickstart 2>&1)
  status=$?
}

# expect WHAT ACTUAL EXPECTED
expect() {
  [[ $2 == "$3" ]] && return
  printf 'FAILED: %s\n  expected: %s\n  got:      %s\n' "$1" "$3" "$2"
  failures=$((failures + 1))
}

# installed: the packages that apt-get was asked to install.
installed() { sed -n 's/.* install --no-install-recommends //p' "$work/log"; }

packages=$(env -u CI "$BASH" -c "source '$scripts/lib/build.sh'; echo \"\${build_packages[*]}\"")
unset CI CXX

fresh_machine
install
expect "all there: status" "$status" 0
expect "all there: apt is not called" "$(cat "$work/log")" ""
expect "all there: nothing is said" "$output" ""

for package in $packages; do
  fresh_machine "$package"
  install
  expect "$package missing: status" "$status" 0
  expect "$package missing: it alone is installed" "$(installed)" "$package"
done

# shellcheck disable=SC2086 # one word a package
fresh_machine $packages
install
expect "all missing: one call installs them" "$(installed)" "$packages"
expect "all missing: the lists are updated once" "$(grep -c ' update$' "$work/log")" 1

fresh_machine catch2
stub id 'echo 1000'
install
expect "no root, no sudo: status" "$status" 1
expect "no root, no sudo: apt is not called" "$(cat "$work/log")" ""
expect "no root, no sudo: says why" "${output##*$'\n'}" \
  "quickstart: installing them takes root, and there is no sudo here"

fresh_machine catch2
stub id 'echo 1000'
stub sudo "echo sudo >>'$work/log'; exec \"\$@\""
install
expect "sudo: both calls go through it" "$(grep -c '^sudo$' "$work/log")" 2
expect "sudo: installs" "$(installed)" catch2

fresh_machine catch2
stub apt-get "echo \"apt-get \$*\" >>'$work/log'; [[ \$* != *update ]]"
install
expect "offline update: the install is tried all the same" "$(installed) $status" "catch2 0"

fresh_machine catch2
stub apt-get 'exit 100'
install
expect "apt fails: status" "$status" 1
expect "apt fails: says what" "${output##*$'\n'}" "quickstart: apt-get could not install: catch2"

fresh_machine ninja-build
rm "$machine/apt-get" "$machine/dpkg-query"
install
expect "no apt: status" "$status" 1
[[ $output == *"no apt-get. Install a C++20 compiler"* ]]
expect "no apt: says what to install" "$?" 0

fresh_machine
rm "$machine/apt-get" "$machine/dpkg-query"
install
expect "no apt, tools there: goes on" "$status$output" 0

if ((failures)); then exit 1; fi
echo "all as expected"
