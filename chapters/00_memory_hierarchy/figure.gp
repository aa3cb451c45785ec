# From above: latency by footprint, bandwidth by level, bandwidth by bytes in flight, cost of a stride.
height = 1090
load 'style.gp'
call 'panels.gp' 1 0.065 0.755 0.74 0.935
call 'panels.gp' 2 0.065 0.54 0.74 0.685
call 'panels.gp' 3 0.065 0.305 0.74 0.475
set xlabel 'stride of the lanes, in words'
call 'panels.gp' 4 0.065 0.085 0.74 0.225
