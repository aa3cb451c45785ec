# Above: the time of a read with and without the L1. Below: the bytes used of those fetched.
height = 580
load 'style.gp'
call 'panels.gp' 1 0.065 0.555 0.78 0.85
call 'panels.gp' 2 0.065 0.10 0.78 0.43
