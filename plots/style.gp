# What all plots share. Loaded after the settings of one plot (a file that loopbench writes into
# DIR/plots/data) and before a terminal. Lengths are pixels of the SVG; W and H are its size.
#
# By hand, from DIR/plots (a narrow one with data/NAME.narrow.gp after data/NAME.gp):
#   P=…/plots; gnuplot -d data/NAME.gp $P/style.gp $P/svg.gp $P/head.gp $P/lines.gp
DATA = 'data/'.PLOT.'.dat'

# Narrow plots, for phones: panels below each other, names of rows and axes above what they name.
place(y) = NARROW ? floor(y + 0.5) + (y - floor(y + 0.5)) * 0.62 - 0.17 : y

INK    = '#222222'
FAINT  = '#6A6A6A'
RULE   = '#DDDDDD'
SHADE  = '#ECECEC'
QUIETGREY = '#8C8C8C'

# The bottom left corner of panel p, and its size, as parts of the canvas.
panel_x(p) = (LEFT + int((p - 1) % COLUMNS) * (PANELW + GAPX)) / W
panel_y(p) = (BOTTOM + (ROWS - 1 - int((p - 1) / COLUMNS)) * (PANELH + GAPY)) / H
is_first(p)  = int((p - 1) % COLUMNS) == 0
is_lowest(p) = p + COLUMNS > K

# Point shapes come in pairs: odd is filled, the even one before it hollow.
filling(shape) = shape % 2 == 0 ? shape + 1 : -1
filled(shape)  = shape % 2 == 0 ? shape + 1 : shape
hollow(shape)  = shape % 2 == 0 ? shape : shape - 1

# The same colour, half let through.
pale(color) = '#80'.color[2:7]

# The label of panel p's y axis, at a fixed distance: terminals differ in how wide they think ticks are.
ylabel_x(p) = panel_x(p) - 66.0 / W
ylabel_y(p) = panel_y(p) + 0.5 * PANELH / H

# An interval is a line with flat ends; there is none where the low end is missing.
interval(low, place) = low > 0 ? place : NaN
