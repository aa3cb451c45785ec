# Every transpose of chapters 09 to 14 as a share of a copy by rows on the same device.
height = 960
load 'style.gp'
unset grid
call 'panels.gp' 1 0.24 0.055 0.97 0.905
