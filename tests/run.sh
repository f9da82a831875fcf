#!/usr/bin/env bash
# Sets the machine up, builds every test and runs them. The last line says how many passed, failed and were skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh

usage() {
  cat <<'END'
usage: tests/run.sh [options]
  --compiler gcc|clang        default: gcc
  --sanitize address|thread   unit tests only; address includes undefined behaviour
  --quick                     the checks of the source text and the unit tests only
  --study                     what papers measured, measured again: minutes; not part of the other runs
  --folders A,B,...           only the unit tests of these folders (core, tensor, kernels_cpu, ...)
END
}

compiler=gcc sanitize="" quick="" study="" folders=""
while [ $# -gt 0 ]; do
  case "$1" in
    --compiler | --sanitize | --folders)
      [ $# -ge 2 ] || { usage >&2; exit 2; }
      printf -v "${1#--}" %s "$2"
      shift 2 ;;
    --quick) quick=yes; shift ;;
    --study) study=yes; shift ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

case "$sanitize" in
  "") preset=release ;;
  address) preset=asan ;;
  thread) preset=tsan ;;
  *) usage >&2; exit 2 ;;
esac
build=build/$preset
arguments=(--preset "$preset" -DFORMWORK_DEV_WERROR=ON -DFORMWORK_BUILD_TESTS=ON -DFORMWORK_BUILD_EXAMPLES=ON
           -DFORMWORK_BUILD_BENCH=ON)
case "$compiler" in
  gcc) arguments+=(-DCMAKE_CXX_COMPILER=g++) ;;
  clang)
    build=build/$preset-clang
    arguments+=(-DCMAKE_CXX_COMPILER=clang++ -B "$build")
    library_packages+=(clang) ;;
  *) usage >&2; exit 2 ;;
esac

# What to build, and which tests to run.
target=(all) selection=()
if [ -n "$folders" ]; then
  pattern=$(tr , '|' <<<"$folders")
  target=() selection=(--tests-regex "^unit\.($pattern)$")
  for folder in ${folders//,/ }; do target+=("unit.$folder"); done
elif [ -n "$sanitize" ]; then
  target=(formwork_unit_tests) selection=(--label-regex '^unit$')
elif [ -n "$study" ]; then
  arguments+=(-DFORMWORK_BUILD_STUDIES=ON)
  target=(study) selection=(--label-regex '^study$')
elif [ -n "$quick" ]; then
  target=(formwork_unit_tests) selection=(--label-regex '^(unit|style)$')
fi

require_packages "${library_packages[@]}" "${test_packages[@]}"
cmake "${arguments[@]}"
cmake --build "$build" --target "${target[@]}" --parallel "$(build_jobs)"

# Tests start threads of their own; as many tests at once as processors is enough.
status=0
ctest --test-dir "$build" "${selection[@]}" --output-on-failure --no-tests=error --parallel "$(nproc)" \
      --output-junit results.xml || status=$?
awk -F'"' '
  function count(name) { return match($0, name "=\"[0-9]+\"") ? substr($0, RSTART + length(name) + 2, RLENGTH) + 0 : -1 }
  /tests="/ { tests = count("tests") }
  /failures="/ { failed = count("failures") }
  /skipped="/ { skipped = count("skipped") }
  /disabled="/ { disabled = count("disabled") }
  /<testcase/ { exit }
  END { printf "%d passed, %d failed, %d skipped\n", tests - failed - skipped - disabled, failed, skipped + disabled }
' "$build/results.xml"
exit "$status"
