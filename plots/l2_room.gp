# Time of a copy against the part of the L2 that is set aside.
height = 560
load 'style.gp'
unset grid
set xlabel 'part of the L2 that is set aside, % of the most that CUDA allows'
call 'panels.gp' 1 0.065 0.15 0.74 0.82
