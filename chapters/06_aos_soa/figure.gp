# Above: time of an array of structures over that of a structure of arrays. Below: bytes used of those fetched.
height = 760
load 'style.gp'
call 'panels.gp' 1 0.065 0.66 0.78 0.90
call 'panels.gp' 2 0.065 0.40 0.78 0.57
set xlabel 'bytes of a record = fields x bytes of a field'
call 'panels.gp' 3 0.065 0.10 0.78 0.31
