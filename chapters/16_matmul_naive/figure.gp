# Above: clocks of a step against the lines that it loads. Below: sectors of a step by shape of the block.
height = 740
load 'style.gp'
set grid xtics
set xlabel 'lines that a step loads'
call 'panels.gp' 1 0.065 0.43 0.77 0.88
set grid noxtics
call 'panels.gp' 2 0.065 0.105 0.77 0.315
