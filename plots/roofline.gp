# Roofline of the products: an intensity for each level of the memory, below that level's ceiling.
height = 620
load 'style.gp'
set grid xtics
set xlabel 'FLOP for each byte'
call 'panels.gp' 1 0.065 0.15 0.74 0.87
