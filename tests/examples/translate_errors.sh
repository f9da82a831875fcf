#!/usr/bin/env bash
# Whatever is wrong: exit status 2, one sentence that names it, and nothing half-written.
source "$(dirname "$0")/common.sh"
make_data

make_configuration 'steps = 3' > base.txt
train=("$translate" train --config base.txt --out none)

# Commands and names of options.
expect_error "a command is missing" "$translate"
expect_error "there is no command 'trian'; did you mean train?" "$translate" trian
expect_error "translate train: there is no option --warmpu; did you mean --warmup?" "${train[@]}" --warmpu 4
expect_error "there is no option -lr; did you mean --lr?" "${train[@]}" -lr 4
expect_error "translate train: there is no option --; see --help" "${train[@]}" --
expect_error "translate run: there is no option --steps; it belongs to translate train" "$translate" run --steps 5
expect_error "there is no option --nbest; it belongs to translate run" "$translate" score --nbest 5
expect_error "there is no option --ref; it belongs to translate score" "${train[@]}" --ref=train.en
expect_error "--out is missing" "$translate" train "${data_options[@]}"
expect_error "--train-src is missing" "$translate" train --out none
expect_error "'more' belongs to no option" "${train[@]}" more
expect_error "--lr is given a second time" "${train[@]}" --lr 1 --lr 1
expect_error "--learning-rate is given a second time" "${train[@]}" --lr=1 --learning-rate=1
expect_error "--embedded is given a second time" "${train[@]}" --embedded --embedded
expect_error "--config is given a second time" "${train[@]}" --config base.txt

# An option without a value does not take the next option for one.
expect_error "translate train: --out has no value, the next word is --steps" "$translate" train "${data_options[@]}" --out --steps 5
expect_error "translate train: --out has no value" "$translate" train "${data_options[@]}" --out
expect_error "translate train: --train-src has no value" "$translate" train --train-src "" --out none
for value in "" " " "  "; do
  expect_error "translate run: --model has no value" "$translate" run "--model=$value"
  expect_error "translate train: --lr has no value" "${train[@]}" "--lr=$value"
  expect_error "--sample has no value" "$translate" run "--sample=$value"
done
expect_error "--embedded is '1', expected true or false" "${train[@]}" --embedded=1
expect_error "'yes' belongs to no option" "${train[@]}" --embedded yes
expect_error "--model is ' good', expected no blank at either end" "$translate" run --model " good"
expect_error "--model is '\"good\"', expected no quotation marks around it" "$translate" run --model '"good"'
expect_error "--out is 'a\\nb', expected UTF-8 without control characters" "$translate" train --out $'a\nb'
expect_error "--out is 'gr\\xfcn', expected UTF-8 without control characters" "$translate" train --out $'gr\xfcn'

# Numbers are decimal, finite and in their range: the same for every numeric option of every command.
for word in abc 0x10 1_000 4e3 1.5 5x "5 " " 5" +5 -1 - 99999999999999999999 nan; do
  expect_error "--epochs is '$word', expected a whole number from 0 to 1000000000000" "${train[@]}" --epochs "$word"
done
for word in abc 0x1p-3 1,5 1f "1 " +1 -1 0 nan inf -inf infinity 1e400 .; do
  expect_error "--lr is '$word', expected a finite number above 0" "${train[@]}" --lr "$word"
done
for word in 1 1.5 -0.1 nan; do
  expect_error "--dropout is '$word', expected a number in [0, 1)" "${train[@]}" --dropout "$word"
done
expect_error "--seed is '18446744073709551616', expected a whole number from 0 to 18446744073709551615" \
  "${train[@]}" --seed 18446744073709551616
count=0
for command in train run score summary; do
  while read -r name type; do
    words=(1x -1)
    [ "$type" = INT ] || words+=(inf)
    for word in "${words[@]}"; do
      expect_error "translate $command: $name is '$word', expected a" "$translate" "$command" "$name" "$word"
    done
    count=$((count + 1))
  done < <("$translate" "$command" --help | sed -nE 's/^ +(--[a-z0-9-]+)[a-z,-]* (INT|FLOAT)=.*/\1 \2/p')
done
[ "$count" -ge 50 ] || broken "--help shows $count numeric options only"

# Words out of a few.
expect_error "--schedule is 'cosin', expected constant, inverse_sqrt, linear or cosine; did you mean cosine?" \
  "${train[@]}" --schedule cosin
expect_error "--penalty is 'gmnt', expected average or gnmt; did you mean gnmt?" "$translate" run --penalty gmnt
expect_error "--tokenize is '14a', expected 13a, none, char or intl" "$translate" score --tokenize 14a

# What options mean together.
for wrong in "--max-tokens 5" "--vocab-size 20" "--max-length 4097" "--embedded" "--restart --resume" "--schedule linear --steps 0"; do
  expect_error "" "${train[@]}" $wrong
done
expect_error "no use for --momentum" "${train[@]}" --momentum 0.5
while read -r schedule option; do
  expect_error "the schedule $schedule has no use for $option" "${train[@]}" --schedule "$schedule" "$option" 5
done << 'END'
constant --initial-lr
constant --final-lr
constant --decay-from
inverse_sqrt --final-lr
linear --decay-from
cosine --decay-from
END
expect_error "none: has no run to resume; without --resume one begins" "${train[@]}" --resume
mkdir empty
expect_error "empty: has no run to resume" "$translate" train --config base.txt --out empty --resume
expect_error "needs --steps" "$translate" train "${data_options[@]}" --schedule linear --out none
expect_error "nbest is 9" "$translate" run --model good --nbest 9

# Configurations: the sentence names file and line.
while IFS='|' read -r lines sentence; do
  printf "$lines" > bad.txt
  expect_error "$sentence" "$translate" train --config bad.txt --out none
done << 'END'
lr = 1e-4\nlearning_rat = 1e-4\n|bad.txt:2: there is no option learning_rat; did you mean learning-rate?
lr = 1\n\n# remark\n  lr = 2|bad.txt:4: lr is given a second time
lr = 1\nlearning-rate = 2\n|bad.txt:2: learning-rate is given a second time
lr: 1e-4\n|bad.txt:1: 'lr: 1e-4', expected key = value
= 1e-4\n|bad.txt:1: '= 1e-4', expected key = value
train-src =\nsteps = 5\n|bad.txt:1: train-src has no value
\nembedded=  \n|bad.txt:2: embedded has no value
embedded = yes\n|bad.txt:1: embedded is 'yes', expected true or false
lr = inf\n|bad.txt:1: lr is 'inf', expected a finite number above 0
steps = 4e3\r\nlr = 1\r\n|bad.txt:1: steps is '4e3', expected a whole number
lr = 1e-4 # remark\n|bad.txt:1: lr is '1e-4 # remark', expected a finite number
train-src = "train.de"\n|bad.txt:1: train-src is '"train.de"', expected no quotation marks
config = bad.txt\n|bad.txt:1: a configuration cannot name another one
help = true\n|bad.txt:1: there is no option help
beam = 5\n|bad.txt:1: there is no option beam; it belongs to translate run
\357\273\277warmpu = 1\r\n|bad.txt:1: there is no option warmpu; did you mean warmup?
steps = 1\ntrain-src = gr\374n\n|bad.txt:2: byte 15 of the line is not valid UTF-8
steps = 1\0\n|bad.txt:1: byte 10 of the line is 0
END
expect_error "missing.txt: cannot be opened" "$translate" train --config missing.txt --out none
mkdir folder
expect_error "folder" "$translate" train --config folder --out none
expect_error "--config has no value" "$translate" train --out none --config

# Text.
head -n 399 train.en > short.en
expect_error "train.de has 400 lines, but short.en has 399" "${train[@]}" --train-tgt short.en
expect_error "missing.de: cannot be opened" "${train[@]}" --train-src missing.de
expect_error "missing.de: cannot be opened" "$translate" train --config base.txt --out none/of/these --train-src missing.de
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
tail -n 1 log.txt | grep -qE '^update [0-9]+: (parameter|the gradient of) (encoder|decoder|embedding)[a-z0-9._]* is not finite' ||
  broken "no sentence that names a parameter: $(tail -n 1 log.txt)"
[ -s diverged/checkpoints/checkpoint-000002.safetensors ] || broken "the good checkpoint is gone"

"$translate" train "${data_options[@]}" --max-tokens 400 --steps 2 --evaluate-every 1 --out good 2> log.txt
run=("$translate" run --model good)
expect_error "--model is missing" "$translate" run
expect_error "nowhere/vocabulary.txt" "$translate" run --model nowhere
expect_error "model.safetensors: is not there" "$translate" run --model diverged
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
expect_error "bad.en:7" "$translate" score --ref bad.en --hyp train.en
