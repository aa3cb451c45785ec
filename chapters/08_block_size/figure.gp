# Above: bandwidth against the size of a block. In the middle: against the warps that were on an SM.
# Below: the occupancy that each generation allows.
height = 900
load 'style.gp'
set xlabel 'threads in a block'
call 'panels.gp' 1 0.065 0.73 0.78 0.91
set xlabel 'achieved occupancy, %; the numbers are threads in a block'
call 'panels.gp' 2 0.065 0.38 0.78 0.64
set xlabel 'threads in a block'
call 'panels.gp' 3 0.065 0.09 0.78 0.28
