# Above: the bandwidth of each step. Below: the time of a warp's sum by itself.
height = 860
load 'style.gp'
set grid xtics noytics
call 'panels.gp' 1 0.24 0.37 0.97 0.91
call 'panels.gp' 2 0.24 0.08 0.97 0.28
