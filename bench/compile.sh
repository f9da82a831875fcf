#!/usr/bin/env bash
# What the library costs to compile: processor seconds, largest memory, size of the object and its longest symbol.
# One line per case. usage: bench/compile.sh [compiler...]   default: g++ and, if it is there, clang++
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh
require_packages "${library_packages[@]}"

compilers=("$@")
if [ ${#compilers[@]} -eq 0 ]; then
  compilers=(g++)
  if command -v clang++ >/dev/null; then compilers+=(clang++); fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++20 -O1 -o "$work/measure" bench/compile/measure.cpp

row='%-12s %-26s %-10s %8s %7s %8s %7s\n'

# measure NAME FILE FLAGS...: the best of three runs, since other programs can only slow a compiler down.
measure() {
  local name=$1 file=$2 compiler result best="" object="$work/unit.o" size=- symbol=-
  shift 2
  if [ ! -e "$file" ]; then
    echo "$name: left out, there is no $file"
    return
  fi
  for compiler in "${compilers[@]}"; do
    rm -f "$object"
    best="" size=- symbol=-
    for _ in 1 2 3; do
      result=$("$work/measure" "$compiler" -std=c++20 -march=native -Iinclude "$@" -o "$object" "$file") || { echo "$name: $compiler refuses $file"; return 1; }
      if [ -z "$best" ] || awk -v a="${result% *}" -v b="${best% *}" 'BEGIN { exit !(a < b) }'; then best=$result; fi
    done
    if [ -s "$object" ]; then
      size=$(($(stat --format=%s "$object") / 1024))
      symbol=$(nm "$object" | awk '{ if (length($NF) > longest) longest = length($NF) } END { print longest + 0 }')
    fi
    printf "$row" "$compiler" "$name" "$1" "${best% *}" "${best#* }" "$size" "$symbol"
  done
}

printf "$row" compiler unit flags seconds MiB "obj KiB" symbol
measure umbrella bench/compile/umbrella.cpp -fsyntax-only
measure umbrella bench/compile/umbrella.cpp -O2 -c
measure quickstart examples/quickstart.cpp -O3 -c
measure translate examples/translate.cpp -O3 -c
measure "model, 2 layers" bench/compile/model.cpp -O3 -c -DLAYERS=2
measure "model, 48 layers" bench/compile/model.cpp -O3 -c -DLAYERS=48
