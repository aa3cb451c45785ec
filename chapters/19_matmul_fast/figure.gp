# Above: the steps to cuBLAS. Below: passes through shared memory.
height = 690
load 'style.gp'
set grid noytics
call 'panels.gp' 1 0.20 0.50 0.97 0.875
set grid ytics
call 'panels.gp' 2 0.065 0.155 0.80 0.395
