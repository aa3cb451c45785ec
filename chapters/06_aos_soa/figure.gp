# Above: time of an array of structures over that of a structure of arrays. Below: bytes used of those fetched.
height = 760
load 'style.gp'
call 'panels.gp' 1 0.065 0.66 0.78 0.90
call 'panels.gp' 2 0.065 0.40 0.78 0.57
set xlabel 'a record, in bytes; the fields are of 1 or 4 bytes'
call 'panels.gp' 3 0.065 0.10 0.78 0.31
