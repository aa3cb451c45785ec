# The axes and places of what chart.py chooses.
height = 420
load 'style.gp'
set grid xtics noytics
call 'panels.gp' 1 0.35 0.10 0.97 0.84
