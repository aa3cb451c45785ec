# Three effects, each on all generations.
height = 248
load 'style.gp'
set xtics rotate by 55 right font small
call 'panels.gp' 1 0.045 0.391 0.325 0.735
set xtics rotate by 55 right font small
call 'panels.gp' 2 0.38 0.391 0.66 0.735
set xtics rotate by 55 right font small
call 'panels.gp' 3 0.71 0.391 0.99 0.735
