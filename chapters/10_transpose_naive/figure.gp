# Naive transposes as shares of a copy by rows on the same device.
height = 760
load 'style.gp'
unset grid
call 'panels.gp' 1 0.23 0.07 0.97 0.90
