# Above: bandwidth by the shape of a block. Below: bytes used of those fetched.
height = 640
load 'style.gp'
call 'panels.gp' 1 0.065 0.53 0.78 0.88
set xlabel 'threads of a block, across x down'
call 'panels.gp' 2 0.065 0.14 0.78 0.42
