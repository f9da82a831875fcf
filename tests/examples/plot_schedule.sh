#!/usr/bin/env bash
# The table has every shipped schedule and the rates they have; the picture is there if gnuplot is; whatever is wrong is
# said in one sentence, with exit status 2 and nothing half-written.
tests=$(realpath "$(dirname "$0")/..")
source "$tests/examples/common.sh"
plot=$translate
headers=$(dirname "$tests")/include/formwork/policy/schedule

"$plot" --out figures/all > out.txt 2> error.txt
[ "$(wc -l < figures/all/schedules.csv)" -eq 1001 ] || broken "not a line for each update"
[ ! -s error.txt ] || ! command -v gnuplot > /dev/null || broken "gnuplot is there, but: $(cat error.txt)"

# Each name in the list of schedule.hpp is a column.
names=$(sed -n 's|^//   \([a-z][a-z_, ]*[a-z]\)   *[^ ].*|\1|p' "$headers/schedule.hpp" | sed 's/  .*//; s/,//g')
[ "$(wc -w <<< "$names")" -ge 20 ] || broken "only these names in schedule.hpp: $names"
for name in $names; do
  head -n 1 figures/all/schedules.csv | tr ',' '\n' | grep -qx "$name" || broken "schedule.hpp has $name, the table has not"
done

# rate <column name> <update>: from the table.
rate() {
  awk -F, -v name="$1" -v step="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) c = i }
                                     NR > 1 && $1 == step { print $c }' figures/all/schedules.csv
}
[ "$(rate constant 1)" = 0.001 ] && [ "$(rate linear 100)" = 0.001 ] && [ "$(rate linear 550)" = 5e-04 ] &&
  [ "$(rate linear 1000)" = 0 ] && [ "$(rate epoch_decay 700)" = 0.001 ] && [ "$(rate epoch_decay 701)" = 1e-04 ] &&
  [ "$(rate fairseq_inverse_sqrt 400)" = 5e-04 ] || broken "wrong rates"
awk -F, 'NR > 1 { for (i = 2; i <= NF; ++i) if (!($i >= 0 && $i <= 0.0010000001) || (NR == 2 && !($i > 0))) exit 1 }' \
  figures/all/schedules.csv || broken "a rate that is no rate"

if command -v gnuplot > /dev/null; then
  grep -q '</svg>' figures/all/schedules.svg || broken "no whole picture"
  grep -q 'cosine_restarts' figures/all/schedules.svg || broken "no titles in the picture"
fi
[ -z "$(find . -name '*.partial')" ] || broken "something half-written"

# Without gnuplot there is the table, and the program says why there is no more.
PATH=/nowhere "$plot" --out bare > /dev/null 2> error.txt || broken "exit status $? without gnuplot"
grep -q 'gnuplot is not installed' error.txt || broken "no word about gnuplot"
[ -s bare/schedules.csv ] && [ ! -e bare/schedules.svg ] || broken "not the table alone: $(ls bare)"

# Shapes of runs that could divide by zero, and the choice of columns.
for shape in "--steps 1 --warmup 0" "--steps 1 --warmup 1" "--steps 2 --warmup 1" "--steps 3 --warmup 3" "--warmup 1000" \
             "--warmup 0 --epoch 1"; do
  PATH=/nowhere "$plot" --out shape $shape > /dev/null 2>&1 || broken "exit status $? of $shape"
  ! grep -qE 'nan|inf' shape/schedules.csv || broken "numbers that are none: $shape"
  sed -n 2p shape/schedules.csv | tr ',' '\n' | grep -qx 0 && broken "a first rate of 0: $shape"
done
PATH=/nowhere "$plot" --out some --only noam,linear > /dev/null 2>&1
[ "$(head -n 1 some/schedules.csv)" = "step,noam,linear" ] || broken "--only: $(head -n 1 some/schedules.csv)"

"$plot" --help > help.txt
grep -q 'epoch_decay' help.txt && grep -q -e '--warmup' help.txt && grep -q 'Exit status' help.txt || broken "--help"

expect_error "there is no option --warmpu; did you mean --warmup?" "$plot" --out none --warmpu 3
expect_error "there is no schedule 'cosin'; did you mean cosine?" "$plot" --out none --only linear,cosin
expect_error "--warmup is 1001, expected 0 to --steps, which is 1000" "$plot" --out none --warmup 1001
expect_error "belongs to no option" "$plot" --out none more
for wrong in "--steps 0" "--steps -1" "--steps 1e99" "--steps 200001" "--warmup -1" "--lr 0" "--lr nan" "--lr inf" \
             "--lr abc" "--epoch 0" "--only none"; do
  expect_error "" "$plot" --out none $wrong
done
echo text > file
expect_error "file" "$plot" --out file
[ ! -e none ] || broken "a folder was left behind"
if [ -w /dev/full ]; then
  status=0
  "$plot" --out full > /dev/full 2> error.txt || status=$?
  [ "$status" -eq 2 ] && grep -q 'standard output cannot be written' error.txt || broken "full disk: $(cat error.txt)"
fi
