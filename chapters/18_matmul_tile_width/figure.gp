# Above: speed against the width of a tile. Below: the occupancy that its shared memory leaves.
height = 640
load 'style.gp'
call 'panels.gp' 1 0.065 0.53 0.76 0.88
set xlabel 'tile'
call 'panels.gp' 2 0.065 0.14 0.76 0.42
