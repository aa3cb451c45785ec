# Above: latency of each memory. In the middle: its bandwidth. Below: lines that a strided load touches.
height = 840
load 'style.gp'
call 'panels.gp' 1 0.065 0.66 0.78 0.91
call 'panels.gp' 2 0.065 0.385 0.78 0.58
set xlabel 'stride of the lanes, in words'
call 'panels.gp' 3 0.065 0.105 0.78 0.295
