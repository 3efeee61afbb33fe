# What one request is made of: a row a target, its parts side by side. The data are boxes: left,
# right, row, colour.
set border 1 linecolor rgb FAINT linewidth 0.8
set tics nomirror out scale 0.6 textcolor rgb INK font ',11'
set grid xtics linetype 1 linecolor rgb RULE linewidth 0.8 dashtype solid back
set xrange [0:XMAX]; set yrange [0.4:RN + 0.6]
set xtics nomirror noenhanced (); set ytics nomirror noenhanced () scale 0 font ',12'
set for [i = 1:XTICKS] xtics add (XTEXT[i] XTICK[i])
set for [i = 1:RN] ytics add ((NARROW ? '' : RTEXT[i]) RN + 1 - i)
set lmargin at screen LEFT / W; set rmargin at screen (LEFT + PANELW) / W
set bmargin at screen BOTTOM * 1.0 / H; set tmargin at screen (BOTTOM + PANELH) / H
set xlabel XLABEL noenhanced font ',12' textcolor rgb INK
unset ylabel; unset title; unset key
do for [i = 1:RN] {
    set label i RTOTAL[i] at first RX[i], first place(RN + 1 - i) left offset 0.6, 0 noenhanced \
        font ',11' textcolor rgb INK
    if (NARROW) {
        set label RN + i RLABEL[i] at graph 0, first RN + 1 - i + 0.3 left noenhanced font ',11' textcolor rgb INK
    }
}
# A line of the background's colour keeps neighbours apart in print, too.
plot DATA using (($1 + $2) / 2):3:1:2:(place($3 - 0.34)):(place($3 + 0.34)):4 with boxxyerror \
     fillstyle solid 1.0 border linecolor rgb '#FFFFFF' linewidth 0.6 fillcolor rgb variable
unset label
unset multiplot
unset output
reset
