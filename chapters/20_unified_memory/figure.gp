# Where the time goes, phase by phase.
height = 420
load 'style.gp'
unset grid
call 'panels.gp' 1 0.27 0.14 0.97 0.80
