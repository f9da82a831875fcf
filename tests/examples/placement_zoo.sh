#!/usr/bin/env bash
# The zoo of two placements and a few updates: the tables, the picture, a run that is continued, and mistakes.
tests=$(realpath "$(dirname "$0")/..")
source "$tests/examples/common.sh"
zoo=$translate

"$zoo" --out first --updates 6 --threads 1 > out.txt 2> notes.txt
[ "$(wc -l < first/runs.csv)" -eq 5 ] || broken "not four runs: $(cat first/runs.csv)"
[ "$(wc -l < first/zoo.csv)" -eq 3 ] || broken "not two placements: $(cat first/zoo.csv)"
[ "$(head -n 1 first/zoo.csv)" = \
  placement,first_gradient,last_gradient,hidden_norm,nll_no_warmup,nll_warmup,parameters,tokens_per_second ] ||
  broken "other columns: $(head -n 1 first/zoo.csv)"
cmp -s out.txt first/zoo.md || broken "what is printed is not the table"
grep -q '^| pre_norm |' out.txt && grep -q '| --- | ---: |' out.txt || broken "no table: $(cat out.txt)"
grep -q 'run 4 of 4: pre_norm .* left' notes.txt || broken "no word about the time left: $(cat notes.txt)"
! grep -qi -e nan -e '| - |' out.txt || broken "numbers that are none: $(cat out.txt)"

# Post-LN's last layer has the larger gradient, Pre-LN's the smaller one; Pre-LN's state has grown.
awk -F, '$1 == "post_norm" && $3 > 1.5 * $2 && $4 > 0.9 && $4 < 1.1 { ++right }
         $1 == "pre_norm" && $3 < $2 && $4 > 4 { ++right }
         END { exit right != 2 }' first/zoo.csv || broken "other figures: $(cat first/zoo.csv)"
if command -v gnuplot > /dev/null; then
  grep -q '</svg>' first/zoo.svg || broken "no whole picture"
  grep -q 'post_norm' first/zoo.svg || broken "no names in the picture"
fi

# One placement first, then the rest: the same figures.
"$zoo" --out second --updates 6 --threads 1 --only pre_norm > out.txt 2> /dev/null
[ "$(wc -l < second/zoo.csv)" -eq 2 ] || broken "--only: $(cat second/zoo.csv)"
"$zoo" --out second --updates 6 --threads 1 > /dev/null 2> notes.txt
[ "$(wc -l < notes.txt)" -eq 2 ] || broken "not the two runs that were missing: $(cat notes.txt)"
figures() { cut -d, -f1-12 "$1/runs.csv" | sort; }
[ "$(figures first)" = "$(figures second)" ] || broken "a continued table has other figures"

PATH=/nowhere "$zoo" --out second --updates 6 > /dev/null 2> error.txt || broken "exit status $? without gnuplot"
grep -q 'gnuplot is not installed' error.txt || broken "no word about gnuplot"

expect_error "a run of the experiment 'reversal task, 6 updates" "$zoo" --out first --updates 12
expect_error "there is no placement 'pre_nrm'; did you mean pre_norm?" "$zoo" --only post_norm,pre_nrm
expect_error "--updates is '5', expected a whole number from 6" "$zoo" --updates 5
expect_error "there is no option --update; did you mean --updates?" "$zoo" --update 5
"$zoo" --help > help.txt
grep -q -e '--only' help.txt && grep -q 'Exit status' help.txt || broken "--help"
