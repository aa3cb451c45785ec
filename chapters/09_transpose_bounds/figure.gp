# Copies and a transpose as shares of the theoretical bandwidth, with the bounds that the book prints.
height = 480
load 'style.gp'
unset grid
call 'panels.gp' 1 0.27 0.11 0.97 0.82
