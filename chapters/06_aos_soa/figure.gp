# Above: time of an array of structures over that of a structure of arrays. Below: bytes used of those fetched.
height = 540
load 'style.gp'
call 'panels.gp' 1 0.065 0.56 0.78 0.88
set xlabel 'bytes of a record = fields x bytes of a field'
call 'panels.gp' 2 0.065 0.13 0.78 0.43
