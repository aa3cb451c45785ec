# Above: time against the stride. In the middle: bytes fetched against the stride. Below: the same
# against the lines that the words of a warp are scattered over.
height = 800
load 'style.gp'
set xlabel 'stride of the loads, in 4-byte elements'
call 'panels.gp' 1 0.065 0.71 0.78 0.90
set xlabel 'stride of the loads, in 4-byte elements'
call 'panels.gp' 2 0.065 0.405 0.78 0.585
set xlabel 'lines that the 32 words of a warp are scattered over'
call 'panels.gp' 3 0.065 0.10 0.78 0.28
