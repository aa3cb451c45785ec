# How near textbooks, other people's libraries and the notebook come to the limit of each problem.
height = 540
load 'style.gp'
unset grid
set format x ''
set xtics scale 0
call 'panels.gp' 1 0.24 0.70 0.98 0.88
set format x ''
set xtics scale 0
call 'panels.gp' 2 0.24 0.40 0.98 0.58
set format x ''
set xtics scale 0
call 'panels.gp' 3 0.24 0.08 0.98 0.28
