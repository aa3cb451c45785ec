# What tiles save, from requests to time. Above: tiles of 16. Below: tiles of 32.
height = 620
load 'style.gp'
unset grid
call 'panels.gp' 1 0.21 0.55 0.97 0.87
call 'panels.gp' 2 0.21 0.10 0.97 0.42
