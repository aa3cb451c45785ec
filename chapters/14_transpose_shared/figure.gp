# Above: bandwidth of the steps from a naive transpose to a copy. Below: passes through the banks.
height = 760
load 'style.gp'
set grid noytics
call 'panels.gp' 1 0.28 0.43 0.97 0.90
set grid ytics
call 'panels.gp' 2 0.28 0.09 0.78 0.33
