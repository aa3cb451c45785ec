# Above: time against unrolling. Below: bandwidth of the steps to the limit.
height = 820
load 'style.gp'
call 'panels.gp' 1 0.065 0.49 0.74 0.89
unset grid
call 'panels.gp' 2 0.30 0.075 0.74 0.40
