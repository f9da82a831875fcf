# Shared by tests/run.sh, examples/run.sh and bench/compile.sh: brings a Debian or Ubuntu machine to the state in which
# the project builds. Sourced, not run. Says what it does and changes nothing that is not asked for by name.

# require_packages NAME...: installs what is missing, with apt-get.
require_packages() {
  local package missing=()
  for package in "$@"; do
    [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return 0
  fi
  if ! command -v apt-get >/dev/null; then
    echo "Needed and not found: ${missing[*]}. This script installs with apt-get, which this system does not have." >&2
    return 1
  fi
  echo "Installing with apt-get: ${missing[*]}"
  local as_root=(env DEBIAN_FRONTEND=noninteractive)
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Neither root nor sudo: install ${missing[*]} first." >&2; return 1; }
    as_root=(sudo "${as_root[@]}")
  fi
  "${as_root[@]}" apt-get update --quiet=2
  "${as_root[@]}" apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}"
}

# What every build needs.
library_packages=(cmake make g++ libxtensor-dev libxsimd-dev xtl-dev zlib1g-dev)
test_packages=(doctest-dev nlohmann-json3-dev libsentencepiece-dev libcli11-dev pkg-config)
example_packages=(libsentencepiece-dev libcli11-dev libfmt-dev pkg-config gnuplot-nox)

# build_jobs: how many compilers run at once. One a processor, but each may need 1 GiB of memory.
# CMAKE_BUILD_PARALLEL_LEVEL, CMake's own variable, overrides it.
build_jobs() {
  local jobs memory
  jobs=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
  [ "$memory" -ge "$jobs" ] || jobs=$((memory > 0 ? memory : 1))
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}"
}
