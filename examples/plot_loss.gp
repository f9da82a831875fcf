# Draws loss curves from the metrics of training runs.
#   gnuplot -e "out='loss.svg'; logs='runs/a/metrics.jsonl runs/b/metrics.jsonl'; titles='a b'" examples/plot_loss.gp
if (!exists("titles")) titles = logs
# The steps and losses of one kind of line; the pattern follows the form in which the log is written.
losses(log, kind) = sprintf("< sed -n 's/^{\"step\":\\([0-9]*\\),\"kind\":\"%s\".*\"nll\":\\([0-9.e+-]*\\).*/\\1 \\2/p' '%s'", kind, log)

set terminal svg size 800,500 font "Helvetica,13" background "white"
set output out
set xlabel "update"
set ylabel "negative log-likelihood of a target token (nats)"
set logscale y
set grid
set key top right
plot for [i=1:words(logs)] losses(word(logs, i), "update") with lines lc i lw 1 title word(titles, i)." training", \
     for [i=1:words(logs)] losses(word(logs, i), "evaluation") with linespoints lc i lw 2 pt 7 ps 0.5 title word(titles, i)." validation"
