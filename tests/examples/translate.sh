#!/usr/bin/env bash
# Trains for a few updates, translates and scores with the result.
source "$(dirname "$0")/common.sh"
make_data

train=("$translate" train "${data_options[@]}" --max-tokens 400 --steps 30 --evaluate-every 10 --average 2 --log-every 5 --out run)
"${train[@]}" 2> log.txt
for file in config.txt vocabulary.txt codes.bpe metrics.jsonl model.safetensors; do
  [ -s "run/$file" ] || broken "the run has no $file"
done
[ "$(grep -c '"kind":"update"' run/metrics.jsonl)" -eq 6 ] || broken "not 6 updates in the log"
[ "$(grep -c '"kind":"evaluation"' run/metrics.jsonl)" -eq 3 ] || broken "not 3 evaluations in the log"

# The finished run again, by the same command and from its own configuration: nothing changes.
find run -type f -exec md5sum {} + | sort > before.txt
"${train[@]}" 2> log.txt
"$translate" train --config run/config.txt 2> log.txt
find run -type f -exec md5sum {} + | sort | cmp - before.txt || broken "a finished run was changed"

# One line out for one line in; the batch, the number of threads and line ends change nothing.
head -n 65 train.de > source.txt
run=("$translate" run --model run --max-length-extra 3)
"${run[@]}" < source.txt > expected.txt 2> log.txt
[ "$(wc -l < expected.txt)" -eq 65 ] || broken "not 65 lines of translation"
for options in "--batch-tokens 1" "--batch-tokens 90" "--batch-tokens 100000" "--threads 1" "--threads 3"; do
  "${run[@]}" $options < source.txt 2> log.txt | cmp - expected.txt || broken "other translations with $options"
done
for count in 1 7 64; do
  some=$((count == 1 ? 5 : 65))
  head -n "$some" source.txt | split -l "$count" - part.
  for part in part.*; do "${run[@]}" < "$part" 2> log.txt; done > parts.txt
  head -n "$some" expected.txt | cmp - parts.txt || broken "other translations in parts of $count lines"
  rm part.*
done
sed 's/$/\r/' source.txt | "${run[@]}" 2> log.txt | cmp - expected.txt || broken "other translations with CRLF"
printf '%s' "$(cat source.txt)" | "${run[@]}" 2> log.txt | cmp - expected.txt || broken "the last line needs an end"

# Empty lines, first, in the middle and last.
printf '\n%s\n\n \n%s\n\n' "$(sed -n 1p source.txt)" "$(sed -n 2p source.txt)" | "${run[@]}" > out.txt 2> log.txt
printf '\n%s\n\n\n%s\n\n' "$(sed -n 1p expected.txt)" "$(sed -n 2p expected.txt)" | cmp - out.txt || broken "empty lines"
"${run[@]}" < /dev/null > out.txt
[ ! -s out.txt ] || broken "no input gave output"

# The other ways to decode.
head -n 3 source.txt | "${run[@]}" --nbest 3 2> log.txt | grep -c '^[012] ||| .* ||| -' | grep -qx 9 || broken "n-best"
for again in 1 2; do head -n 9 source.txt | "${run[@]}" --sample --seed 4 > "sample$again.txt" 2> log.txt; done
cmp sample1.txt sample2.txt || broken "one seed gave two samples"
printf '%s\n' "$(sed -n 1p source.txt)" | "$translate" run --model run --max-length-factor 0 --max-length-extra 1 > /dev/null 2> log.txt
grep -q '^1 of 1 translations reached the maximum length' log.txt || broken "a cut translation is not counted"
for _ in $(seq 200); do head -n 15 source.txt; done > many.txt  # more than the pipe holds
"${run[@]}" < many.txt 2> log.txt | head -n 1 > /dev/null || broken "a reader that has had enough is no fault"

# Scores: the model's and the file's agree, a text scores 100 against itself, JSON is JSON.
head -n 65 train.en > reference.txt
"$translate" score --ref reference.txt --hyp expected.txt > file.txt
"$translate" score --ref reference.txt --model run --src source.txt --max-length-extra 3 > model.txt 2> log.txt
cmp file.txt model.txt || broken "scores differ between a file and the model that wrote it"
grep -q '^BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:' file.txt || broken "no signature"
"$translate" score --ref reference.txt --hyp reference.txt --tokenize none --chrf-word-order 2 > same.txt
grep -q '^BLEU.* = 100.00 ' same.txt && grep -q '^chrF2++.* = 100.00$' same.txt || broken "a text against itself"
"$translate" score --ref reference.txt --hyp reference.txt --json > same.json
tr -d ' \n' < same.json | grep -c '"score":100.0.*"segments":65}$' > out.txt || broken "JSON"

# Pre-segmented text, moving average, options from a file that the command line overrides.
sed 's/\([a-z]\)e\b/\1@@ e/g' train.en > pieces.en
make_configuration '# options' 'learning_rate = 0.010' 'steps = 3' '' 'embedded = false' > options.txt
"$translate" train --config options.txt --train-tgt pieces.en --pre-segmented --ema 0.5 --steps 04 --evaluate-every 2 --out words 2> log.txt
for line in 'lr = 0.01' 'steps = 4' 'train-tgt = pieces.en' 'pre-segmented = true'; do
  grep -qx "$line" words/config.txt || broken "options from a file: $line"
done
! grep -q '^embedded =' words/config.txt && [ "$(sort words/config.txt | uniq -d)" = "" ] || broken "options from a file"
head -n 5 source.txt | "$translate" run --model words --max-length-extra 2 > out.txt 2> log.txt
! grep -q '@@' out.txt || broken "pieces were not joined"

# The rate from which warm-up starts reaches every schedule that has one: here it is the highest one from the beginning.
for schedule in inverse_sqrt linear cosine; do
  "$translate" train "${data_options[@]}" --max-tokens 400 --schedule $schedule --warmup 4 --lr 1e-3 --initial-lr 1e-3 \
    --steps 4 --log-every 1 --out $schedule 2> log.txt
  [ "$(grep -c '"lr":0.001[,}]' $schedule/metrics.jsonl)" -ge 3 ] || broken "$schedule does not start at --initial-lr"
done

"$translate" summary --dot pictures > summary.txt
grep -q 'causal_attention(query(' summary.txt && grep -q 'embedding.weight' summary.txt || broken "summary"
grep -q '^digraph' pictures/decoder_layer_fused.dot || broken "pictures"
for command in train run score summary; do
  "$translate" $command --help > help.txt
  grep -q '^Examples:' help.txt && grep -q ' INT=[0-9]' help.txt || broken "$command --help"
done
