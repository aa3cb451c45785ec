# Time of four elements a thread over that of one.
height = 640
load 'style.gp'
set grid xtics noytics
call 'panels.gp' 1 0.26 0.10 0.97 0.85
