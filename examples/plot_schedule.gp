# Draws the columns of a table of learning rates (formwork_plot_schedule writes one), each in a field of its own. All
# fields have the same scales.
#   gnuplot -c examples/plot_schedule.gp schedules.csv schedules.svg
if (ARGC != 2) { print "usage: gnuplot -c plot_schedule.gp TABLE.csv PICTURE.svg"; exit status 2 }
set datafile separator ","
stats ARG1 using 1 skip 1 nooutput
curves = STATS_columns - 1
updates = STATS_records
highest = 0
do for [i = 2:curves + 1] {
  stats ARG1 using i skip 1 nooutput
  highest = STATS_max > highest ? STATS_max : highest
}
wide = curves < 4 ? curves : 4
tall = (curves + wide - 1) / wide
thin = (updates + 299) / 300  # more points than that cannot be seen

# Field i from 0: its lower left corner, and the place of an update and a rate in it.
left(i) = (i % wide) * 1.1
low(i) = -(i / wide) * 1.45
x(i, step) = left(i) + (updates > 1 ? (step - 1.0) / (updates - 1) : 0)
y(i, rate) = low(i) + (highest > 0 ? rate / highest : 0)

set terminal svg size 40 + 200 * wide, 60 + 105 * tall font "Helvetica,12" background "white"
set output ARG2
unset border; unset tics
set lmargin 1; set rmargin 1; set tmargin 1; set bmargin 1
set xrange [-0.05:wide * 1.1]
set yrange [low(curves - 1) - 0.5:1.4]
do for [i = 0:curves - 1] {
  set arrow from left(i), low(i) to left(i) + 1, low(i) nohead lc rgb "#999999"
  set arrow from left(i), low(i) to left(i), low(i) + 1.1 nohead lc rgb "#999999"
}
set label sprintf("across: update 1 to %d; up: learning rate 0 to %g", updates, highest) at 0, low(curves - 1) - 0.35
plot for [i = 0:curves - 1] ARG1 skip 1 using (x(i, $1)):(y(i, column(i + 2))) every thin with lines lw 2 lc rgb "#1b5e9b" \
     notitle, \
     for [i = 0:curves - 1] ARG1 every ::0::0 using (left(i) + 0.05):(low(i) + 1.2):(stringcolumn(i + 2)) with labels left \
     noenhanced notitle
