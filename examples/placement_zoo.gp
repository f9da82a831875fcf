# Draws the table of placement_zoo: losses with and without warm-up, and gradients before training.
#   gnuplot -c examples/placement_zoo.gp zoo.csv zoo.svg
if (ARGC != 2) { print "usage: gnuplot -c placement_zoo.gp TABLE.csv PICTURE.svg"; exit status 2 }
set datafile separator ","
set datafile missing ""
stats ARG1 using 5 skip 1 nooutput
set terminal svg size 260 + 34 * STATS_records, 640 font "Helvetica,12" background "white"
set output ARG2
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 border 0
set border 3
set xtics rotate by -45 nomirror noenhanced scale 0
set ytics nomirror
set rmargin 6
set key outside top right horizontal
set multiplot layout 2, 1
set yrange [0:4]
set ylabel "loss, nats a token"
plot ARG1 skip 1 using 5:xtic(1) title "no warm-up" lc rgb "#c0504d", "" skip 1 using 6 title "warm-up 300" lc rgb "#1b5e9b"
set yrange [0:*]
set ylabel "first gradient"
plot ARG1 skip 1 using 2:xtic(1) title "first layer" lc rgb "#7f9f7f", "" skip 1 using 3 title "last layer" lc rgb "#40603f"
unset multiplot
