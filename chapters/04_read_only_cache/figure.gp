# Above: time through the read-only cache over that of a plain load. Below: what the caches held.
height = 680
load 'style.gp'
call 'panels.gp' 1 0.065 0.68 0.78 0.89
call 'panels.gp' 2 0.065 0.39 0.78 0.585
call 'panels.gp' 3 0.065 0.095 0.78 0.29
