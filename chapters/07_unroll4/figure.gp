# Above: time against unrolling. Below: bandwidth of the steps to the limit.
height = 660
load 'style.gp'
call 'panels.gp' 1 0.065 0.53 0.74 0.87
unset grid
call 'panels.gp' 2 0.30 0.09 0.74 0.42
