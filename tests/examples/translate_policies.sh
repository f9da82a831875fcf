#!/usr/bin/env bash
# A program compiled with Muon and Noam's schedule: what no option changes stays as the policies have it.
source "$(dirname "$0")/common.sh"

train=("$translate" train --embedded --embedded-pairs 400 --vocab-size 400 --max-tokens 400 --steps 2 --evaluate-every 2)
"$translate" train --help > help.txt
for default in '--warmup INT=4000' '--momentum FLOAT=0.95' '--weight-decay FLOAT=0.01'; do
  grep -qE -e "^ +$default( |$)" help.txt || broken "--help has another default than $default: $(grep -e "${default% *}" help.txt)"
done

# Update 2 of noam with d_model 16: 2 / sqrt(16) / warmup^1.5.
"${train[@]}" --log-every 1 --out run 2> log.txt || broken "$(cat log.txt)"
grep -q '"lr":1.976423537605237' run/metrics.jsonl || broken "another rate: $(head -n 2 run/metrics.jsonl)"
for line in 'warmup = 4000' 'momentum = 0.95' 'weight-decay = 0.01'; do
  grep -qx "$line" run/config.txt || broken "config.txt lacks $line"
done
"$translate" train --config run/config.txt 2> log.txt || broken "config.txt cannot be read: $(cat log.txt)"
grep -q 'the run is finished; nothing was changed' log.txt || broken "config.txt is of another run"
"${train[@]}" --log-every 1 --warmup 400 --out given 2> log.txt || broken "$(cat log.txt)"
grep -q '"lr":6.25e-05' given/metrics.jsonl || broken "--warmup has no effect: $(head -n 2 given/metrics.jsonl)"
expect_error "no use for --lr" "${train[@]}" --lr 5 --out none
expect_error "no use for --beta2" "${train[@]}" --beta2 0.5 --out none

"$translate" summary > summary.txt
grep -q 'moments are not counted' summary.txt || broken "the summary counts moments that are not alike"
