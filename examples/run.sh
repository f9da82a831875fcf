#!/usr/bin/env bash
# Sets the machine up and builds the example programs.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh

build=build/release
require_packages "${library_packages[@]}" "${example_packages[@]}"
cmake --preset release -DCMAKE_CXX_COMPILER=g++ -DFORMWORK_DEV_WERROR=OFF -DFORMWORK_BUILD_TESTS=OFF \
      -DFORMWORK_BUILD_EXAMPLES=ON -DFORMWORK_BUILD_BENCH=OFF
cmake --build "$build" --parallel "$(build_jobs)"

# ---- The programs lie in build/release/examples.
find "$build/examples" -maxdepth 1 -type f -executable
