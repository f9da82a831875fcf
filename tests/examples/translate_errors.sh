#!/usr/bin/env bash
# Whatever is wrong: exit status 2, one sentence that names it, and nothing half-written.
source "$(dirname "$0")/common.sh"
make_data

train=("$translate" train "${data_options[@]}" --steps 3 --out none)
expect_error "a command is missing" "$translate"
expect_error "did you mean train?" "$translate" trian
expect_error "there is no option --warmpu; did you mean --warmup?" "${train[@]}" --warmpu 4
expect_error "--out is missing" "$translate" train "${data_options[@]}"
expect_error "--train-src is missing" "$translate" train --out none
expect_error "belongs to no option" "${train[@]}" more
for wrong in "--lr abc" "--lr 0" "--lr nan" "--steps 1e99" "--steps -1" "--warmup -1" "--dropout 1" "--label-smoothing 1" \
             "--max-tokens 0" "--max-tokens 5" "--accumulate 0" "--clip-norm -1" "--threads -1" "--keep 0" "--beta2 1" \
             "--ema 1" "--vocab-size 20" "--max-length 1" "--log-every 0" "--average -1" "--schedule cosin" \
             "--momentum 0.5" "--embedded" "--restart --resume"; do
  expect_error "" "${train[@]}" $wrong
  [ ! -e none ] || broken "a folder was left behind by $wrong"
done
expect_error "did you mean cosine?" "${train[@]}" --schedule cosin
expect_error "no use for --momentum" "${train[@]}" --momentum 0.5
expect_error "needs --steps" "$translate" train "${data_options[@]}" --schedule linear --out none

printf 'lr = 1e-4\nlearning_rat = 1e-4\n' > bad.txt
expect_error "bad.txt:2: unknown key 'learning-rat'; did you mean --learning-rate?" "${train[@]}" --config bad.txt
printf 'lr: 1e-4\n' > bad.txt
expect_error "bad.txt:1: 'lr: 1e-4', expected key = value" "${train[@]}" --config bad.txt
expect_error "missing.txt" "${train[@]}" --config missing.txt

head -n 399 train.en > short.en
expect_error "train.de has 400 lines, but short.en has 399" "${train[@]}" --train-tgt short.en
expect_error "missing.de: cannot be opened" "${train[@]}" --train-src missing.de
{ head -n 6 train.en; printf 'bad \377 byte\n'; tail -n 393 train.en; } > bad.en
expect_error "bad.en:7: byte 5 of the line is not valid UTF-8" "${train[@]}" --train-tgt bad.en
printf 'no gzip' > bad.gz
expect_error "bad.gz" "${train[@]}" --train-src bad.gz
: > empty.txt
expect_error "empty.txt have no lines" "${train[@]}" --train-src empty.txt --train-tgt empty.txt
echo text > file.txt
expect_error "file.txt: is no folder" "$translate" train "${data_options[@]}" --steps 3 --out file.txt
[ ! -e none ] || broken "a folder was left behind"

# A loss that is not finite: the sentence names the update; the last good checkpoint stays.
diverge=("$translate" train "${data_options[@]}" --max-tokens 400 --evaluate-every 1 --out diverged)
"${diverge[@]}" --steps 2 2> log.txt
rm diverged/model.safetensors
status=0
"${diverge[@]}" --steps 60 --lr 1e38 2> log.txt || status=$?
[ "$status" -eq 2 ] || broken "exit status $status after a loss that is not finite: $(tail -n 2 log.txt)"
tail -n 1 log.txt | grep -q '^update [0-9]*: .*finite' || broken "no sentence about the loss: $(tail -n 1 log.txt)"
[ -s diverged/checkpoints/checkpoint-000002.safetensors ] || broken "the good checkpoint is gone"

"$translate" train "${data_options[@]}" --max-tokens 400 --steps 2 --evaluate-every 1 --out good 2> log.txt
run=("$translate" run --model good)
expect_error "--model is missing" "$translate" run
expect_error "nowhere/vocabulary.txt" "$translate" run --model nowhere
expect_error "model.safetensors: is not there" "$translate" run --model diverged
expect_error "beam is 0" "${run[@]}" --beam 0
expect_error "nbest is 9" "${run[@]}" --nbest 9
expect_error "did you mean gnmt?" "${run[@]}" --penalty gmnt
expect_error "batch_tokens is 0" "${run[@]}" --batch-tokens 0
printf 'good\n\nbad \377\n' > bad.txt
status=0
"${run[@]}" < bad.txt > out.txt 2> error.txt || status=$?
[ "$status" -eq 2 ] && grep -q 'standard input:3: byte 5' error.txt || broken "bad input: $(cat error.txt)"
printf 'a\0b\n' > bad.txt
status=0
"${run[@]}" < bad.txt > out.txt 2> error.txt || status=$?
[ "$status" -eq 2 ] && grep -q 'standard input:1: byte 2' error.txt || broken "binary input: $(cat error.txt)"
if [ -w /dev/full ]; then
  status=0
  head -n 2 train.de | "${run[@]}" > /dev/full 2> error.txt || status=$?
  [ "$status" -eq 2 ] && grep -q 'standard output: cannot be written' error.txt || broken "full disk: $(cat error.txt)"
fi
cp -r good damaged
printf 'x' | dd of=damaged/model.safetensors bs=1 seek=20000 conv=notrunc 2> /dev/null
expect_error "model.safetensors: damaged" "$translate" run --model damaged

expect_error "--ref is missing" "$translate" score --hyp train.en
expect_error "--model is missing" "$translate" score --ref train.en
expect_error "train.en has 400 lines, but there are 399 translations" "$translate" score --ref train.en --hyp short.en
expect_error "'14a' is unknown, expected 13a" "$translate" score --ref train.en --hyp train.en --tokenize 14a
expect_error "bad.en:7" "$translate" score --ref bad.en --hyp train.en
expect_error "--vocab-size is 0" "$translate" summary --vocab-size 0
