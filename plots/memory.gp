# Memory chart: the bytes that move between kernel, L1, L2 and DRAM.
height = 640
load 'style.gp'
set border 0
unset tics
unset grid
call 'panels.gp' 1 0.02 0.53 0.98 0.86
unset tics
set border 0
call 'panels.gp' 2 0.02 0.09 0.98 0.42
