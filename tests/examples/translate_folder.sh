#!/usr/bin/env bash
# The folder of a run: one command at a time, nothing of another run in it, and a finished one is left as it is.
source "$(dirname "$0")/common.sh"
make_data

make_configuration 'max-tokens = 400' 'steps = 100' 'evaluate-every = 20' 'average = 4' 'threads = 1' > train.txt
train=("$translate" train --config train.txt)
# Names and bytes of all files of a folder.
state_of() { find "$1" -type f -exec md5sum {} + | sort; }
# refused <text> <folder> <options...>: exit status 2, one sentence, and the folder stays as it is.
refused() {
  local text=$1 folder=$2
  shift 2
  state_of "$folder" > before.txt
  expect_error "$text" "${train[@]}" --out "$folder" "$@"
  state_of "$folder" | cmp - before.txt || broken "a refused command changed $folder: $*"
}
# finished <folder> <options...>: the command says that the run is finished and changes nothing.
finished() {
  local folder=$1
  state_of "$folder" > before.txt
  "${train[@]}" --out "$@" 2> log.txt || broken "exit status $?: $(cat log.txt)"
  grep -q "^$folder: the run is finished; nothing was changed" log.txt || broken "not finished: $(cat log.txt)"
  state_of "$folder" | cmp - before.txt || broken "a finished run was changed: $*"
}

# While a command uses a folder, every other one is refused; a killed one leaves nothing that stops the next.
"${train[@]}" --steps 100000 --out live 2> live.txt &
process=$!
while ! ls live/checkpoints/checkpoint-* > /dev/null 2>&1; do
  kill -0 "$process" 2> /dev/null || broken "ended without a checkpoint: $(cat live.txt)"
  sleep 0.02
done
kill -STOP "$process"  # so that it changes nothing itself
refused "live: another run is using this folder" live
refused "live: another run is using this folder" live --restart
refused "live: another run is using this folder" live --steps 10 --vocab-size 300
{ kill -KILL "$process"; wait "$process" || true; } 2> /dev/null
"${train[@]}" --out live --restart 2> log.txt || broken "a killed run stops the next one: $(cat log.txt)"
[ -z "$(find live -name lock)" ] || broken "a lock was left behind"

# Data that decide about the result.
"${train[@]}" --out run 2> log.txt
cp valid.en other.en
sed -i '7s/.*/another line/' other.en
refused '"validation text" is' run --valid-tgt other.en
refused '"validation text" is' run --valid-tgt other.en --steps 120
cp train.en other.en
sed -i '7s/.*/another line/' other.en
refused '"training text" is' run --train-tgt other.en
cp valid.en renamed.en
finished run --valid-tgt renamed.en  # the same text under another name
cp -r run edited
sed -i '$s/.*/zzzz/' edited/vocabulary.txt
refused "written under another configuration" edited
refused "written under another configuration" edited --steps 120
for option in "--seed 2" "--pool 50" "--accumulate 2"; do refused " is " run --steps 120 $option; done

# A finished run is finished wherever it lies and whatever has become of its checkpoints.
finished run
finished run --threads 2 --log-every 7
cp -r run copied
finished copied
rm copied/checkpoints/checkpoint-000080.safetensors
finished copied
printf 'x' | dd of=copied/checkpoints/checkpoint-000060.safetensors bs=1 seek=20000 conv=notrunc 2> /dev/null
printf 'x' | dd of=copied/checkpoints/checkpoint-000100.safetensors bs=1 seek=20000 conv=notrunc 2> /dev/null
finished copied
cp -r run bare
rm -r bare/checkpoints
finished bare
refused "bare/model.safetensors: has no checkpoints to go on from" bare --steps 120
"${train[@]}" --out bare --restart 2> log.txt
cmp run/model.safetensors bare/model.safetensors || broken "begun anew, the run ended elsewhere"

# Another mean is made when it is asked for, of what there is; one that lacks a checkpoint is none.
"${train[@]}" --out run --average 2 2> log.txt
grep -qx "run/model.safetensors: mean of 2 checkpoints" log.txt || broken "no other mean: $(cat log.txt)"
finished run --average 2
"${train[@]}" --out run 2> log.txt
cmp run/model.safetensors bare/model.safetensors || broken "the first mean did not come back"
for fault in missing damaged; do
  rm -r copied
  cp -r run copied
  rm copied/model.safetensors
  if [ $fault = missing ]; then
    rm copied/checkpoints/checkpoint-000060.safetensors
  else
    printf 'x' | dd of=copied/checkpoints/checkpoint-000060.safetensors bs=1 seek=20000 conv=notrunc 2> /dev/null
  fi
  for again in 1 2; do
    status=0
    "${train[@]}" --out copied 2> log.txt || status=$?
    [ "$status" -eq 2 ] || broken "a mean without a checkpoint that is $fault: $(cat log.txt)"
    tail -n 1 log.txt | grep -q '^copied/checkpoints/checkpoint-000060.safetensors: .*; --average 2 takes' ||
      broken "no way to go on: $(tail -n 1 log.txt)"
    [ ! -e copied/model.safetensors ] || broken "a model of fewer checkpoints"
  done
  "${train[@]}" --out copied --average 2 2> log.txt
  finished copied --average 2
done

# A model that is damaged is made again; one of an earlier end of the run too, also when the first try failed.
printf 'x' | dd of=run/model.safetensors bs=1 seek=20000 conv=notrunc 2> /dev/null
"${train[@]}" --out run 2> log.txt
cmp run/model.safetensors bare/model.safetensors || broken "a damaged model stayed"
mv run/checkpoints/checkpoint-000080.safetensors kept.safetensors
status=0
"${train[@]}" --out run --steps 120 2> log.txt || status=$?
[ "$status" -eq 2 ] || broken "a mean without a checkpoint: $(cat log.txt)"
mv kept.safetensors run/checkpoints/checkpoint-000080.safetensors
"${train[@]}" --out run --steps 120 2> log.txt
grep -q "mean of 4 checkpoints" log.txt || broken "the model of the earlier end stayed: $(cat log.txt)"
finished run --steps 120

# Files of one's own where the embedded corpus would be written stay; the corpus itself gives way to one of another size.
embedded=("$translate" train --embedded --vocab-size 300 --steps 1 --evaluate-every 1)
mkdir -p own/data foreign/data
cp train.de train.en own/data
echo mine > own/data/notes.txt
printf 'eins\nzwei\n' > foreign/data/train.de
for folder in own foreign; do
  state_of $folder > before.txt
  expect_error "$folder/data: holds something else than the embedded corpus" "${embedded[@]}" --embedded-pairs 300 --out $folder
  state_of $folder | cmp - before.txt || broken "a refused command changed $folder"
done
for pairs in 300 310; do
  "${embedded[@]}" --embedded-pairs $pairs --out size --restart 2> log.txt || broken "$(cat log.txt)"
  [ "$(wc -l < size/data/train.de)" -eq $pairs ] || broken "not $pairs pairs"
done
