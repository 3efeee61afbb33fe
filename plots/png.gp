# Twice the size, for print and for screens with fine pixels.
set terminal pngcairo size 2*W,2*H enhanced font 'DejaVu Sans,12' fontscale 1.5 linewidth 2 pointscale 2 background '#FFFFFF'
set output PLOT.'.png.tmp'
