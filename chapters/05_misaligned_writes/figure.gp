# Above: the time of a write against its offset. Below: the sectors that it touches.
height = 600
load 'style.gp'
set xlabel 'offset of the stores, in 4-byte elements'
call 'panels.gp' 1 0.065 0.57 0.78 0.87
set xlabel 'offset of the stores, in 4-byte elements'
call 'panels.gp' 2 0.065 0.13 0.78 0.43
