# Three effects, each on all generations.
height = 245
load 'style.gp'
set xtics rotate by 55 right font small
call 'panels.gp' 1 0.045 0.40 0.325 0.775
set xtics rotate by 55 right font small
call 'panels.gp' 2 0.38 0.40 0.66 0.775
set xtics rotate by 55 right font small
call 'panels.gp' 3 0.71 0.40 0.99 0.775
