# Predicted against measured time.
height = 700
load 'style.gp'
set grid xtics
set xlabel 'measured, µs'
call 'panels.gp' 1 0.08 0.12 0.80 0.89
