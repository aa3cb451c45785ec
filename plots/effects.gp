# Each rule of the front page: times as long, on every GPU that decides it.
height = 620
load 'style.gp'
set grid xtics ytics linecolor rgb '#e6e6e6' linetype 1 linewidth 1
set xlabel 'times as long as what the rule compares with'
call 'panels.gp' 1 0.45 0.11 0.97 0.93
