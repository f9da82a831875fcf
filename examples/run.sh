#!/usr/bin/env bash
# Sets the machine up, builds the example programs, trains a translator on the embedded corpus and shows what it learned.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh

build=build/release
require_packages "${library_packages[@]}" "${example_packages[@]}"
cmake --preset release -DCMAKE_CXX_COMPILER=g++ -DFORMWORK_BUILD_TESTS=OFF -DFORMWORK_BUILD_BENCH=OFF -DFORMWORK_BUILD_EXAMPLES=ON
cmake --build "$build" --parallel "$(build_jobs)"

# ---- Policies of one's own; each program ends with an error if it does not learn.
for program in own_placement own_optimizer; do "$build/examples/$program" 2> /dev/null; done

# ---- A Pre-LN Transformer without warm-up on the embedded German-English corpus: a few minutes on two processors.
run=${1:-runs/embedded}
translate=$build/examples/translate
"$translate" train --embedded --embedded-pairs 80000 --vocab-size 1500 --schedule linear --lr 2e-3 --warmup 0 \
  --max-tokens 4096 --steps 1000 --evaluate-every 100 --average 1 --patience 0 --dropout 0.05 --log-every 25 --out "$run"

"$translate" run --model "$run" < "$run/data/test.de" > "$run/test.translated.en"
gnuplot -e "out='$run/loss.svg'; logs='$run/metrics.jsonl'; titles='Pre-LN'" examples/plot_loss.gp

echo
echo "Five sentences that were not in the training text, and their translations:"
paste -d '\n' "$run/data/test.de" "$run/test.translated.en" | awk 'NR <= 10 { print (NR % 2 ? "  " : "    -> ") $0 }'
echo "Loss curve: $run/loss.svg"
echo "All 1000 test sentences:"
"$translate" score --ref "$run/data/test.en" --hyp "$run/test.translated.en" --tokenize none | tee "$run/score.txt"
