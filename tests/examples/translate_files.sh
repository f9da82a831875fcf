#!/usr/bin/env bash
# Files that are not what they should be, text that no person wrote, and too little memory: a sentence, exit status 2, and
# nothing stays that a failed command has made.
source "$(dirname "$0")/common.sh"
make_data
make_configuration 'max-tokens = 400' 'steps = 2' 'threads = 1' > base.txt
train=("$translate" train --config base.txt)
"${train[@]}" --evaluate-every 1 --out good 2> log.txt
run=("$translate" run --model good --beam 1 --max-length-factor 0 --max-length-extra 1)

# Folders given as files and files given as folders.
expect_error "good" "${train[@]}" --train-src good --out none/a/b
expect_error "good: expected a regular file" "${run[@]}" --checkpoint good
expect_error "train.de/vocabulary.txt: cannot be opened for reading: Not a directory" "$translate" run --model train.de
expect_error "good" "$translate" score --ref good --hyp good
expect_error "train.de: the folder cannot be made" "$translate" summary --dot train.de
expect_error "train.de/a: the folder cannot be made: Not a directory" "${train[@]}" --out train.de/a

# What a failed command has made goes away, the folders around it too; what was there stays.
mkdir -p there/before
expect_error "is too small" "${train[@]}" --vocab-size 20 --out there/before/a/b/c
expect_error "is too small" "${train[@]}" --vocab-size 20 --out there/before/
expect_error "is too small" "$translate" train --embedded --embedded-pairs 400 --vocab-size 20 --out none/a
expect_error "is too small" "${train[@]}" --vocab-size 20 --out none/../nothing/a

# Files without the right to read or write them. The superuser has all rights, so another user has to try.
as_user=()
if [ "$(id -u)" -eq 0 ]; then
  as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
  chmod -R a+rwX .
fi
if "${as_user[@]}" "$translate" --help > out.txt 2>&1; then
  denied() {  # denied <rights> <path> <text> <command...>
    local rights path=$2
    rights=$(stat --format=%a "$path")
    [ ${#as_user[@]} -eq 0 ] || chown nobody "$path"
    chmod "$1" "$path"
    expect_error "$3" "${as_user[@]}" "${@:4}"
    chmod "$rights" "$path"
  }
  mkdir locked
  for file in vocabulary.txt codes.bpe model.safetensors; do
    denied 000 "good/$file" "good/$file: cannot be opened for reading: Permission denied" "${run[@]}"
  done
  denied 000 good "cannot be examined: Permission denied" "${run[@]}"
  denied 000 train.de "train.de: cannot be opened for reading: Permission denied" "${train[@]}" --out none
  denied 000 locked "locked" "${train[@]}" --train-src locked/train.de --out none
  denied 000 locked "locked/a: cannot be examined: Permission denied" "${train[@]}" --out locked/a
  denied 555 locked "locked/a/b: the folder cannot be made: Permission denied" "${train[@]}" --out locked/a/b
  denied 555 locked "Permission denied" "${train[@]}" --out locked
  denied 000 good "Permission denied" "${train[@]}" --out good
  denied 000 good/checkpoints "good/checkpoints: cannot be listed: Permission denied" "${train[@]}" --out good
  denied 000 good/config.txt "good/config.txt: cannot be opened for reading: Permission denied" "${train[@]}" --out good
  denied 555 good/checkpoints "cannot be deleted: Permission denied" "${train[@]}" --out good --restart
fi

# White space of every kind inside the text: what was learned from it can be read again.
for text in 'ab\rab \r\r x\r' 'ab \302\240 ab\302\240' 'ab\342\200\250x' 'a\0b a\0b' '\v \f'; do
  for side in de en; do
    { cat "train.$side"; for _ in 1 2 3; do printf "$text\n"; done; } > "odd.$side"
  done
  for options in "--vocab-size 400" "--pre-segmented"; do
    rm -rf odd
    "${train[@]}" --train-src odd.de --train-tgt odd.en $options --out odd 2> log.txt || broken "$text: $(cat log.txt)"
    printf 'ab\rx\n' | "$translate" run --model odd > out.txt 2> log.txt || broken "$text: $(cat log.txt)"
    [ "$(wc -l < out.txt)" -eq 1 ] || broken "$text: not one line of output"
  done
done

# A line longer than any sentence is named; the option decides what is too long.
{ head -n 2 train.de; printf 'a %.0s' $(seq 1001); } > long.txt
expect_error "long.txt:3: the line has 1001 tokens, expected at most 1000; --max-source-length allows more" \
  "$translate" score --model good --src long.txt --ref long.txt
status=0
"${run[@]}" < long.txt > out.txt 2> error.txt || status=$?
[ "$status" -eq 2 ] && grep -q '^standard input:3: the line has 1001 tokens' error.txt || broken "long line: $(cat error.txt)"
for limit in 0 1001; do
  "${run[@]}" --max-source-length $limit < long.txt > out.txt 2> log.txt || broken "limit $limit: $(cat log.txt)"
  [ "$(wc -l < out.txt)" -eq 3 ] || broken "not 3 lines with the limit $limit"
done
expect_error "" "${run[@]}" --max-source-length -1

# Too little memory. Not every build can run with a limit on addresses (a sanitizer's cannot).
failures=0
for limit in 6000 8000 10000 14000 20000 28000; do
  (ulimit -v $limit && "$translate" --help > out.txt 2>&1) || continue
  status=0
  (ulimit -v $limit && "${train[@]}" --max-tokens 4000 --out none/a 2> error.txt) || status=$?
  if [ "$status" -eq 0 ]; then rm -r none; continue; fi
  [ "$status" -eq 2 ] && tail -n 1 error.txt | grep -q 'memory' || broken "exit status $status with $limit KiB: $(cat error.txt)"
  [ ! -e none ] || broken "a folder was left behind with $limit KiB"
  failures=$((failures + 1))
done
[ "$failures" -gt 0 ] || ! (ulimit -v 28000 && "$translate" --help > out.txt 2>&1) || broken "no limit was too low"
