# Medians with their intervals against connections: K panels of N targets that share both axes. Pale
# where a figure is a lower bound; hollow is the A/A control.
set border 3 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid ytics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid
set xrange [XMIN[1]:XMAX[1]]; set yrange [YMIN[1]:YMAX[1]]
set logscale x
if (YLOG) { set logscale y }
unset mxtics; unset mytics
# A line is broken where there is no figure, not drawn across.
set datafile missing "?"
set xtics nomirror noenhanced () ; set ytics nomirror noenhanced ()
set for [i = 1:XTICKS[1]] xtics add (XTEXT[i] XTICK[i])
# Who is drawn later is smaller: of marks that lie on each other each shows.
bulk(i) = 0.8 + 0.2 * (i < 4 ? i - 1 : 3)
do for [p = 1:K] {
    set lmargin at screen panel_x(p); set rmargin at screen panel_x(p) + PANELW / W
    set bmargin at screen panel_y(p); set tmargin at screen panel_y(p) + PANELH / H
    set ytics nomirror noenhanced ()
    if (is_first(p)) {
        set for [i = 1:YTICKS[1]] ytics add (YTEXT[i] YTICK[i])
        if (!NARROW) {
            set label 999 YLABEL at screen ylabel_x(p), screen ylabel_y(p) center rotate by 90 noenhanced \
                font ',12' textcolor rgb INK
        }
    } else {
        set for [i = 1:YTICKS[1]] ytics add ('' YTICK[i])
    }
    if (is_lowest(p) || !NARROW) { set xlabel XLABEL noenhanced font ',12' textcolor rgb INK } else { unset xlabel }
    if (K > 1) { set title '{/:Bold '.PANEL[p].'}' enhanced font ',12' textcolor rgb INK offset 0, -0.5 }
    do for [g = 1:GAPS] {
        if (GAPP[g] == p) {
            # Of all targets, or of one, in its colour.
            if (GAPT[g] == 0) {
                set label g 'n/a' at first GAPAT[g], graph 0.03 center font ',11' textcolor rgb FAINT
            } else {
                set label g '×' at first GAPAT[g], graph 0.03 center font ',14' textcolor rgb COLOR[GAPT[g]]
            }
        }
    }
    plot for [j = 1:N] \
         DATA index (p - 1) * N + N - j using 1:2 with lines \
             linecolor rgb COLOR[N + 1 - j] linewidth WIDTH[N + 1 - j] dashtype DASH[N + 1 - j], \
         for [j = 1:N] DATA index (p - 1) * N + N - j \
             using 1:(interval($3, $3)):(0):($4 - $3) with vectors heads size screen 3.0 / W, 90 fixed \
             linecolor rgb COLOR[N + 1 - j] linewidth 1.1, \
         for [j = 1:N] DATA index (p - 1) * N + N - j using 1:2 with points \
             linecolor rgb '#FFFFFF' pointsize bulk(N + 1 - j) \
             pointtype (QUIET[N + 1 - j] ? -1 : filled(POINT[N + 1 - j])), \
         for [j = 1:N] DATA index (p - 1) * N + N - j using 1:($5 == 1 ? NaN : $2) with points \
             linecolor rgb COLOR[N + 1 - j] linewidth 1.4 pointsize bulk(N + 1 - j) \
             pointtype (QUIET[N + 1 - j] ? -1 : POINT[N + 1 - j]), \
         for [j = 1:N] DATA index (p - 1) * N + N - j using 1:($5 == 1 ? $2 : NaN) with points \
             linecolor rgb pale(COLOR[N + 1 - j]) linewidth 1.4 pointsize bulk(N + 1 - j) \
             pointtype (QUIET[N + 1 - j] ? -1 : POINT[N + 1 - j])
    unset label
}
unset multiplot
unset output
reset
