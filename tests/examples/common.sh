# Sourced by the tests of the translation program: $1 is the program. They run in a folder of their own.
set -euo pipefail
translate=$(realpath "$1")
export LC_ALL=C  # the programs must not need a locale

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

broken() {
  echo "FAILED: $*" >&2
  exit 1
}

# A few hundred pairs to train on: train.de, train.en, valid.de, valid.en.
make_data() {
  "$translate" train --embedded --embedded-pairs 400 --vocab-size 400 --steps 1 --evaluate-every 1 --out corpus 2>/dev/null
  local part side
  for side in de en; do
    cp "corpus/data/train.$side" "train.$side"
    head -n 60 "corpus/data/valid.$side" > "valid.$side"
  done
  rm -r corpus
}
# The same options as a configuration, which a command line may override: an option is given once only.
make_configuration() {
  printf '%s\n' 'train-src = train.de' 'train-tgt = train.en' 'valid-src = valid.de' 'valid-tgt = valid.en' \
    'vocab-size = 400' "$@"
}
data_options=(--train-src train.de --train-tgt train.en --valid-src valid.de --valid-tgt valid.en --vocab-size 400)

# expect_error <text of the sentence> <command...>: exit status 2, nothing on standard output, one line that has the text,
# no file that was not there before.
expect_error() {
  local expected=$1 status=0 before
  shift
  touch out.txt error.txt
  before=$(find . | sort)
  "$@" >out.txt 2>error.txt </dev/null || status=$?
  [ "$status" -eq 2 ] || broken "exit status $status, expected 2: $*: $(cat error.txt)"
  [ ! -s out.txt ] || broken "something on standard output: $*"
  [ "$(wc -l < error.txt)" -eq 1 ] || broken "not one line on standard error: $*: $(cat error.txt)"
  [ "$(find . | sort)" = "$before" ] || broken "files were left behind: $*"
  grep -qF -e "$expected" error.txt || broken "'$expected' is not in: $(cat error.txt)"
}
