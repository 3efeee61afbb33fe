# What one request is made of: a row a target, its parts side by side. The data are boxes: left,
# right, row, colour.
# In a narrow plot a row's name stands above it.
DOWN = NARROW ? 0.12 : 0; THICK = NARROW ? 0.26 : 0.34
set border 1 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid back
set xrange [0:XMAX]; set yrange [0.4:RN + 0.6]
set xtics nomirror noenhanced (); set ytics nomirror noenhanced () scale 0 font ',12'
set for [i = 1:XTICKS] xtics add (XTEXT[i] XTICK[i])
if (NARROW) {
    unset ytics
    do for [i = 1:RN] {
        set label 1000 + i RTEXT[i] at first 0, first RN + 1 - i + 0.36 left noenhanced \
            font ',12' textcolor rgb INK
    }
} else {
    set for [i = 1:RN] ytics add (RTEXT[i] RN + 1 - i)
}
set lmargin at screen LEFT / W; set rmargin at screen (LEFT + PANELW) / W
set bmargin at screen BOTTOM * 1.0 / H; set tmargin at screen (BOTTOM + PANELH) / H
set xlabel XLABEL noenhanced font ',12' textcolor rgb INK
unset ylabel; unset title; unset key
do for [i = 1:RN] {
    set label i RTOTAL[i] at first RX[i], first RN + 1 - i - DOWN left offset 0.6, 0 noenhanced \
        font ',11' textcolor rgb INK
}
# A line of the background's colour keeps neighbours apart in print, too.
plot DATA using (($1 + $2) / 2):3:1:2:($3 - DOWN - THICK):($3 - DOWN + THICK):4 with boxxyerror \
     fillstyle solid 1.0 border linecolor rgb '#FFFFFF' linewidth 0.6 fillcolor rgb variable
unset multiplot
unset output
reset
