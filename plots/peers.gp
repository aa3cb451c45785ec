# What textbooks, other people's libraries and the notebook reach, and the limit of each problem.
height = 820
load 'style.gp'
unset grid
call 'panels.gp' 1 0.28 0.70 0.97 0.895
call 'panels.gp' 2 0.28 0.40 0.97 0.595
call 'panels.gp' 3 0.28 0.11 0.97 0.305
