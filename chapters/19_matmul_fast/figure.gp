# Above: the steps to cuBLAS. Below: passes through shared memory.
height = 660
load 'style.gp'
set grid noytics
call 'panels.gp' 1 0.20 0.48 0.97 0.87
set grid ytics
call 'panels.gp' 2 0.065 0.11 0.80 0.35
