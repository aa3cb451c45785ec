# Above: additions a second against the number of counters. Below: the bandwidth of histograms.
height = 820
load 'style.gp'
set xlabel 'counters that the additions are spread over'
call 'panels.gp' 1 0.09 0.53 0.80 0.90
unset xlabel
set grid xtics noytics
call 'panels.gp' 2 0.20 0.06 0.97 0.41
