#!/usr/bin/env bash
# A run that is killed or stopped and started again ends with the same bytes as one that was left alone.
source "$(dirname "$0")/common.sh"
make_data

make_configuration 'max-tokens = 400' 'steps = 300' 'evaluate-every = 20' 'average = 4' 'log-every = 10' > train.txt
train=("$translate" train --config train.txt)
losses() { sed -n 's/^{"step":\([0-9]*\),"kind":"\([a-z]*\)".*"loss":\([^,]*\),.*/\1 \2 \3/p' "$1/metrics.jsonl"; }
same_as_alone() {
  cmp alone/model.safetensors "$1/model.safetensors" || broken "$1: another model"
  cmp <(losses alone) <(losses "$1") || broken "$1: another log"
  [ "$(ls "$1/checkpoints")" = "$(ls alone/checkpoints)" ] || broken "$1: other checkpoints: $(ls "$1/checkpoints")"
}
# Starts a run in the background and returns when it has a checkpoint.
start() {
  "${train[@]}" --out "$1" --threads 1 2> log.txt &
  process=$!
  while ! ls "$1"/checkpoints/checkpoint-* > /dev/null 2>&1; do
    kill -0 "$process" 2> /dev/null || broken "$1: ended without a checkpoint: $(cat log.txt)"
    sleep 0.02
  done
}

"${train[@]}" --threads 2 --out alone 2> log.txt

start killed
sleep "0.$((RANDOM % 3))"
kill -KILL "$process"
wait "$process" 2> /dev/null || true
"${train[@]}" --out killed 2> log.txt
grep -q '^resumed after update' log.txt || broken "the killed run was not resumed: $(cat log.txt)"
same_as_alone killed

start stopped
kill -TERM "$process"
status=0
wait "$process" || status=$?
[ "$status" -eq 75 ] || broken "exit status $status after SIGTERM, expected 75"
"${train[@]}" --out stopped 2> log.txt
same_as_alone stopped

# A resumed run says what has changed; what cannot change is refused and nothing is touched; --restart begins anew.
"${train[@]}" --out stopped --steps 320 --dropout 0.2 2> log.txt
grep -qx 'changed: dropout = 0.2, was 0.1' log.txt || broken "the change is not named: $(cat log.txt)"
find stopped -type f -exec md5sum {} + | sort > before.txt
for changed in "--max-tokens 200" "--vocab-size 300" "--ema 0.9"; do
  status=0
  "${train[@]}" --out stopped $changed 2> log.txt || status=$?
  [ "$status" -eq 2 ] || broken "a run went on with $changed"
done
find stopped -type f -exec md5sum {} + | sort | cmp - before.txt || broken "a refused run was changed"
"${train[@]}" --out stopped --restart --vocab-size 300 --steps 20 2> log.txt
[ "$(ls stopped/checkpoints)" = checkpoint-000020.safetensors ] || broken "--restart"
