#!/bin/sh
# Makes sure that the Debian packages that the suite is built and tested with are there. Missing ones are installed where that is
# allowed (root, or sudo without a password); otherwise one line names them with the command that installs them, and the
# script fails. On systems without dpkg it leaves the question to CMake. Words on the command line are packages that are
# wanted besides.
set -eu

packages="g++ cmake ninja-build libcli11-dev libfmt-dev nlohmann-json3-dev libgtest-dev libpugixml-dev zlib1g-dev
  libarchive-dev libzstd-dev liblz4-dev python3 python3-jsonschema python3-yaml libxml2-utils $*"

command -v dpkg-query >/dev/null 2>&1 || exit 0

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo -n env"
else
  echo "missing Debian packages; install them with: sudo apt-get install$missing" >&2
  exit 1
fi

echo "installing Debian packages:$missing"
log=$(mktemp)
if ! { $as_root DEBIAN_FRONTEND=noninteractive apt-get update &&
  # shellcheck disable=SC2086  # the names are words
  $as_root DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  rm -f "$log"
  echo "could not install these Debian packages; try: apt-get update && apt-get install$missing" >&2
  exit 1
fi
rm -f "$log"
