# The rate of each kernel, by the type of its operands.
height = 470
load 'style.gp'
set grid xtics noytics
call 'panels.gp' 1 0.10 0.12 0.97 0.84
