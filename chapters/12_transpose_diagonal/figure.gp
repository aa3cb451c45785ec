# Time in diagonal order over that in plain order, against the size. Above: columns are read. Below: rows.
height = 600
load 'style.gp'
call 'panels.gp' 1 0.065 0.58 0.80 0.87
set xlabel 'rows and columns of a square matrix'
call 'panels.gp' 2 0.065 0.145 0.80 0.435
