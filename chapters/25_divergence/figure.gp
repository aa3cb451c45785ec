# Above: two paths. Below: a switch.
height = 720
load 'style.gp'
unset grid
set xlabel 'what decides between the paths'
call 'panels.gp' 1 0.065 0.58 0.74 0.88
set grid
set xlabel 'different paths in a warp'
call 'panels.gp' 2 0.065 0.10 0.74 0.42
