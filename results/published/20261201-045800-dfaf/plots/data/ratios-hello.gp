# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of its sources.
PLOT = 'ratios-hello'
HEADING = 'Differences and their intervals'
XLABEL = 'difference from libevent'
YLABEL = ''
DOTS = 0
SHARED = 0
ROOM = 24
MARKS = 1
XLOG = 0
array XMIN[1]
array XMAX[1]
array XTICKS[1]
array XTICK[24]
array XTEXT[24]
XMIN[1] = 0; XMAX[1] = 0; XTICKS[1] = 0
YLOG = 1
array YMIN[2]
array YMAX[2]
array YTICKS[2]
array YTICK[48]
array YTEXT[48]
YMIN[1] = 0.9309945446; YMAX[1] = 1.159758811; YTICKS[1] = 5
YTICK[1] = 0.95; YTEXT[1] = '−5%%'
YTICK[2] = 1; YTEXT[2] = '0'
YTICK[3] = 1.05; YTEXT[3] = '+5%%'
YTICK[4] = 1.1; YTEXT[4] = '+10%%'
YTICK[5] = 1.15; YTEXT[5] = '+15%%'
YMIN[2] = 0.9258386473; YMAX[2] = 1.080793205; YTICKS[2] = 3
YTICK[25] = 0.95; YTEXT[25] = '−5%%'
YTICK[26] = 1; YTEXT[26] = '0'
YTICK[27] = 1.05; YTEXT[27] = '+5%%'
N = 5
ROWS_SHOWN = 5
array ROW[5]
array NAME[5]
array ROWNAME[5]
array COLOR[5]
array POINT[5]
array DASH[5]
array WIDTH[5]
array QUIET[5]
NAME[1] = 'libevent'; ROWNAME[1] = 'libevent'; COLOR[1] = '#0072B2'; POINT[1] = 7; DASH[1] = 1; WIDTH[1] = 2.0; QUIET[1] = 0; ROW[1] = 5
NAME[2] = 'libuv'; ROWNAME[2] = 'libuv'; COLOR[2] = '#D55E00'; POINT[2] = 5; DASH[2] = 2; WIDTH[2] = 2.0; QUIET[2] = 0; ROW[2] = 4
NAME[3] = 'h2o'; ROWNAME[3] = 'h2o'; COLOR[3] = '#009E73'; POINT[3] = 9; DASH[3] = 4; WIDTH[3] = 2.0; QUIET[3] = 0; ROW[3] = 3
NAME[4] = 'libevent-again'; ROWNAME[4] = 'libevent-again'; COLOR[4] = '#0072B2'; POINT[4] = 6; DASH[4] = 3; WIDTH[4] = 1.4; QUIET[4] = 0; ROW[4] = 2
NAME[5] = 'null'; ROWNAME[5] = 'null'; COLOR[5] = '#8C8C8C'; POINT[5] = 1; DASH[5] = 1; WIDTH[5] = 1.0; QUIET[5] = 1; ROW[5] = 1
K = 2
array PANEL[2]
array SHAPE[2]
SHAPE[1] = 7; PANEL[1] = 'server CPU per request: right is heavier'
SHAPE[2] = 5; PANEL[2] = 'throughput: right is faster'
array GAPP[31]
array GAPAT[31]
array GAPT[31]
GAPS = 0
RN = 9
array RTEXT[9]
array RLABEL[9]
RTEXT[1] = 'libuv, 10'; RLABEL[1] = 'libuv, 10'
RTEXT[2] = 'libuv, 100'; RLABEL[2] = 'libuv, 100'
RTEXT[3] = 'libuv, 500'; RLABEL[3] = 'libuv, 500'
RTEXT[4] = 'h2o, 10'; RLABEL[4] = 'h2o, 10'
RTEXT[5] = 'h2o, 100'; RLABEL[5] = 'h2o, 100'
RTEXT[6] = 'h2o, 500'; RLABEL[6] = 'h2o, 500'
RTEXT[7] = 'libevent-again, 10'; RLABEL[7] = 'libevent-again, 10'
RTEXT[8] = 'libevent-again, 100'; RLABEL[8] = 'libevent-again, 100'
RTEXT[9] = 'libevent-again, 500'; RLABEL[9] = 'libevent-again, 500'
BAND = 1.03
array NAP[19]
array NAR[19]
NAS = 0
array CUT[10]
CUT[1] = 6.5
CUT[2] = 3.5
CUTS = 2
NARROW = 0
W = 980
H = 350
HEAD = 58
COLUMNS = 2
ROWS = 1
LEFT = 162.9
PANELW = 380.0
PANELH = 208.0
GAPX = 34
GAPY = 60
BOTTOM = 58
TEXTX = 16
array LINE[8]
LINE[1] = 'hello: target, connections, against libevent; interval of the verdict; band: within 3%'
LINES = 1
KEYS = 0
array KEYX[1]
array KEYY[1]
array KEYTEXT[1]
array KEYOF[1]
