# Settings of one plot, made by loopbench; the programs that read them are plots/*.gp of its sources.
PLOT = 'memory-hello'
HEADING = 'Memory of the server'
XLABEL = 'connections, log scale'
YLABEL = 'resident memory, MiB'
DOTS = 0
SHARED = 1
ROOM = 24
MARKS = 1
XLOG = 1
array XMIN[1]
array XMAX[1]
array XTICKS[1]
array XTICK[24]
array XTEXT[24]
XMIN[1] = 7.531344275; XMAX[1] = 663.8921044; XTICKS[1] = 3
XTICK[1] = 10; XTEXT[1] = '10'
XTICK[2] = 100; XTEXT[2] = '100'
XTICK[3] = 500; XTEXT[3] = '500'
YLOG = 0
array YMIN[2]
array YMAX[2]
array YTICKS[2]
array YTICK[48]
array YTEXT[48]
YMIN[1] = 0; YMAX[1] = 5262213.12; YTICKS[1] = 6
YTICK[1] = 0; YTEXT[1] = '0'
YTICK[2] = 1048576; YTEXT[2] = '1'
YTICK[3] = 2097152; YTEXT[3] = '2'
YTICK[4] = 3145728; YTEXT[4] = '3'
YTICK[5] = 4194304; YTEXT[5] = '4'
YTICK[6] = 5242880; YTEXT[6] = '5'
YMIN[2] = 0; YMAX[2] = 5262213.12; YTICKS[2] = 6
YTICK[25] = 0; YTEXT[25] = '0'
YTICK[26] = 1048576; YTEXT[26] = '1'
YTICK[27] = 2097152; YTEXT[27] = '2'
YTICK[28] = 3145728; YTEXT[28] = '3'
YTICK[29] = 4194304; YTEXT[29] = '4'
YTICK[30] = 5242880; YTEXT[30] = '5'
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
SHAPE[1] = 7; PANEL[1] = 'idle, before any load'
SHAPE[2] = 5; PANEL[2] = 'peak'
array GAPP[31]
array GAPAT[31]
array GAPT[31]
GAPS = 0
NARROW = 0
W = 1012
H = 494
HEAD = 80
COLUMNS = 2
ROWS = 1
LEFT = 84.0
PANELW = 440.0
PANELH = 330.0
GAPX = 24
GAPY = 60
BOTTOM = 58
TEXTX = 16
array LINE[8]
LINE[1] = 'hello: median of 11 rounds and its 95% interval'
LINES = 1
KEYS = 5
array KEYX[6]
array KEYY[6]
array KEYTEXT[6]
array KEYOF[6]
KEYOF[1] = 1; KEYX[1] = 84.0; KEYY[1] = 428; KEYTEXT[1] = 'libevent'
KEYOF[2] = 2; KEYX[2] = 208.8; KEYY[2] = 428; KEYTEXT[2] = 'libuv'
KEYOF[3] = 3; KEYX[3] = 312.3; KEYY[3] = 428; KEYTEXT[3] = 'h2o'
KEYOF[4] = 4; KEYX[4] = 401.6; KEYY[4] = 428; KEYTEXT[4] = 'libevent-again'
KEYOF[5] = 5; KEYX[5] = 569.0; KEYY[5] = 428; KEYTEXT[5] = 'null'
