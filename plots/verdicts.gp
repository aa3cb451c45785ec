# The verdicts as a heat map: chapters down, devices across, a square for each claim; counts above.
height = 1020
load 'style.gp'
unset grid
set border 0
set tics scale 0
unset xtics
call 'panels.gp' 1 0.23 0.09 0.99 0.935
unset tics
call 'panels.gp' 2 0.02 0.02 0.99 0.075
