# Above: a copy. Below: arithmetic.
height = 700
load 'style.gp'
set xlabel 'KB in flight on an SM'
call 'panels.gp' 1 0.065 0.58 0.80 0.88
set xlabel 'multiply-adds in flight on an SM, in warps'
call 'panels.gp' 2 0.065 0.10 0.80 0.40
