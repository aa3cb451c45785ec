# Above: clocks of a request against its passes through the banks. Below: passes against the stride.
height = 760
load 'style.gp'
set grid xtics
set xlabel 'passes of the request through the banks'
call 'panels.gp' 1 0.065 0.47 0.71 0.89
set grid noxtics
set xlabel 'stride, in 4-byte elements'
call 'panels.gp' 2 0.065 0.115 0.71 0.355
