# Above: launches. Below: copies beside kernels.
height = 680
load 'style.gp'
unset grid
call 'panels.gp' 1 0.27 0.56 0.97 0.88
call 'panels.gp' 2 0.27 0.06 0.97 0.42
