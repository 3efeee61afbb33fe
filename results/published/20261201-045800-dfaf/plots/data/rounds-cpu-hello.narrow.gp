# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
YMIN[1] = 5.943787801; YMAX[1] = 8.553978586; YTICKS[1] = 6
YTICK[1] = 6; YTEXT[1] = '6'
YTICK[2] = 6.5; YTEXT[2] = '6.5'
YTICK[3] = 7; YTEXT[3] = '7'
YTICK[4] = 7.5; YTEXT[4] = '7.5'
YTICK[5] = 8; YTEXT[5] = '8'
YTICK[6] = 8.5; YTEXT[6] = '8.5'
YMIN[2] = 5.748968134; YMAX[2] = 6.798997931; YTICKS[2] = 5
YTICK[25] = 5.8; YTEXT[25] = '5.8'
YTICK[26] = 6; YTEXT[26] = '6'
YTICK[27] = 6.2; YTEXT[27] = '6.2'
YTICK[28] = 6.4; YTEXT[28] = '6.4'
YTICK[29] = 6.6; YTEXT[29] = '6.6'
YMIN[3] = 5.673114387; YMAX[3] = 8.565000544; YTICKS[3] = 6
YTICK[49] = 6; YTEXT[49] = '6'
YTICK[50] = 6.5; YTEXT[50] = '6.5'
YTICK[51] = 7; YTEXT[51] = '7'
YTICK[52] = 7.5; YTEXT[52] = '7.5'
YTICK[53] = 8; YTEXT[53] = '8'
YTICK[54] = 8.5; YTEXT[54] = '8.5'
NARROW = 1
W = 344
H = 1223
HEAD = 73
COLUMNS = 1
ROWS = 3
LEFT = 16.0
PANELW = 312.0
PANELH = 310.0
GAPX = 0
GAPY = 68
BOTTOM = 58
TEXTX = 8
array LINE[8]
LINE[1] = 'hello: 11 rounds from bottom to top; line and box:'
LINE[2] = 'median and its 95% interval'
LINES = 2
KEYS = 0
array KEYX[1]
array KEYY[1]
array KEYTEXT[1]
array KEYOF[1]
