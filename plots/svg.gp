set terminal svg size W,H dynamic enhanced font 'DejaVu Sans,12' background '#FFFFFF' linewidth 1
set output (NARROW ? 'narrow/' : '').PLOT.'.svg.tmp'
