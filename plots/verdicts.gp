# The verdicts as a heat map: chapters down, devices across, a square for each claim.
height = 900
load 'style.gp'
unset grid
set border 0
set tics scale 0
unset xtics
call 'panels.gp' 1 0.23 0.12 0.99 0.92
unset tics
call 'panels.gp' 2 0.03 0.015 0.99 0.08
