# Predicted against measured time: an H200, and what others printed of other GPUs.
height = 1300
load 'style.gp'
set grid xtics
set xlabel 'measured, µs'
call 'panels.gp' 1 0.08 0.56 0.80 0.94
set grid xtics
set xlabel 'printed, ms'
panels = 1
do for [i = 1 : blocks] { if (panel_of[i] > panels) { panels = panel_of[i] } }
if (panels > 1) { call 'panels.gp' 2 0.08 0.07 0.80 0.45 }
