# Above: time of a copy. Below: its instructions.
height = 680
load 'style.gp'
unset grid
call 'panels.gp' 1 0.065 0.555 0.74 0.88
call 'panels.gp' 2 0.065 0.115 0.74 0.43
