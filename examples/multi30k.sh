#!/usr/bin/env bash
# The Multi30k English-German recipe of Wu et al. 2021 ("Good for Misconceived Reasons"), Transformer-Tiny: trains,
# translates test2016, scores. One command, one to two hours on two processors:
#   examples/multi30k.sh DATA post          Post-LN with the published warm-up
#   examples/multi30k.sh DATA pre [LR]      Pre-LN without warm-up, learning rate LR (default 2e-3)
# DATA holds bpe10k/{train,valid,test.2016}.{en,de}.gz and tok/test_2016_flickr.lc.norm.tok.de.gz. SEED, THREADS and STEPS (default 8000) may be
# set; the run is in runs/multi30k-post or runs/multi30k-pre, and a run that was stopped goes on.
set -euo pipefail
data=$(realpath "${1:?the folder of the data is missing}")
placement=${2:-post}
lr=${3:-2e-3}
cd "$(dirname "$0")/.."

build=build/release
run=runs/multi30k-$placement
case "$placement" in
  post) translate=$build/examples/translate_post rate=(--lr 5e-3 --warmup 2000 --initial-lr 1e-7 --decay-from 2000) ;;
  pre) translate=$build/examples/translate rate=(--lr "$lr" --warmup 0 --decay-from 2000) ;;
  *) echo "the placement is '$placement', expected post or pre" >&2; exit 2 ;;
esac
if [ ! -x "$translate" ]; then
  source cmake/setup.sh
  require_packages "${library_packages[@]}" "${example_packages[@]}"
  cmake --preset release -DCMAKE_CXX_COMPILER=g++ -DFORMWORK_BUILD_TESTS=OFF -DFORMWORK_BUILD_BENCH=OFF -DFORMWORK_BUILD_EXAMPLES=ON
  cmake --build "$build" --target translate translate_post --parallel "$(build_jobs)"
fi

# 8,192 tokens an update: the longer side of a batch has at most so many.
"$translate" train --pre-segmented --train-src "$data/bpe10k/train.en.gz" --train-tgt "$data/bpe10k/train.de.gz" \
  --valid-src "$data/bpe10k/valid.en.gz" --valid-tgt "$data/bpe10k/valid.de.gz" \
  --max-tokens 8192 "${rate[@]}" --beta1 0.9 --beta2 0.98 --epsilon 1e-8 --weight-decay 0 --fairseq-gains \
  --dropout 0.3 --attention-dropout 0 --activation-dropout 0 --label-smoothing 0.1 --clip-norm 25 \
  --patience 10 --steps "${STEPS:-8000}" --average 10 --seed "${SEED:-1}" --threads "${THREADS:-0}" --out "$run"

# Tokenised, lowercased BLEU against the tokenised references: the pieces are joined, nothing else is undone.
zcat "$data/bpe10k/test.2016.en.gz" | "$translate" run --model "$run" --beam 5 --lenpen 1 --threads "${THREADS:-0}" \
  > "$run/test2016.de"
"$translate" score --ref "$data/tok/test_2016_flickr.lc.norm.tok.de.gz" --hyp "$run/test2016.de" \
  --tokenize none --lowercase | tee "$run/score.txt"
if command -v gnuplot >/dev/null; then
  gnuplot -e "out='$run/loss.svg'; logs='$run/metrics.jsonl'; titles='$placement'" examples/plot_loss.gp
fi
