# The roofline of emulate_roofline.py: arguments are the two roofs (instructions and sectors a second) and the axes' ends.
# The file `data` has a kernel a line: instructions a sector, instructions a second, its number.
issue = real(ARG1)
sectors = real(ARG2)
set encoding utf8
set terminal svg size 760,400 dynamic font 'DejaVu Sans,13' name 'roofline' background rgb 'white'
set output 'figure.svg'
set border 3 linecolor rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid linecolor rgb '#dddddd' linetype 1 linewidth 1
set logscale xy
set xrange [real(ARG3):real(ARG4)]
set yrange [real(ARG5) / 1e9:real(ARG6) / 1e9]
set format x '%g'
set format y '%g'
set xlabel 'warp instructions per 32-byte sector of device memory'
set ylabel 'billion warp instructions a second'
set key off
set samples 400
roof(x) = (x * sectors < issue ? x * sectors : issue) / 1e9
bend = issue / sectors
set label 1 'schedulers' at bend * 1.3, roof(bend) * 1.25 textcolor rgb '#444444'
set label 2 'device memory' at bend / 1.3, roof(bend / 1.3) * 1.2 right textcolor rgb '#444444'
plot roof(x) with lines linewidth 2 linecolor rgb '#444444', \
     'data' using 1:($2 / 1e9) with points pointtype 7 pointsize 0.9 linecolor rgb '#0550ae', \
     '' using 1:($2 / 1e9):(sprintf('%d', $3)) with labels noenhanced offset 1.1, 0.5 textcolor rgb '#0550ae'
