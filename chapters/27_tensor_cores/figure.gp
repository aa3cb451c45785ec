# Above: the rate of each kernel, by the type of its operands. Below: the error of each type against its rate.
height = 860
load 'style.gp'
set grid xtics noytics
call 'panels.gp' 1 0.10 0.42 0.97 0.91
set grid ytics
call 'panels.gp' 2 0.10 0.08 0.70 0.32
