# Three effects against the year of the GPU.
height = 820
load 'style.gp'
call 'panels.gp' 1 0.065 0.70 0.80 0.895
call 'panels.gp' 2 0.065 0.40 0.80 0.595
set xlabel 'year of the GPU'
call 'panels.gp' 3 0.065 0.11 0.80 0.305
