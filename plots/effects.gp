# Three effects, each on all generations.
height = 300
load 'style.gp'
set xtics rotate by 55 right font small
call 'panels.gp' 1 0.045 0.34 0.325 0.725
set xtics rotate by 55 right font small
call 'panels.gp' 2 0.38 0.34 0.66 0.725
set xtics rotate by 55 right font small
call 'panels.gp' 3 0.71 0.34 0.99 0.725
