# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
YMIN[1] = 5.998390736; YMAX[1] = 8.840119466; YTICKS[1] = 6
YTICK[1] = 6; YTEXT[1] = '6'
YTICK[2] = 6.5; YTEXT[2] = '6.5'
YTICK[3] = 7; YTEXT[3] = '7'
YTICK[4] = 7.5; YTEXT[4] = '7.5'
YTICK[5] = 8; YTEXT[5] = '8'
YTICK[6] = 8.5; YTEXT[6] = '8.5'
YMIN[2] = 5.932110924; YMAX[2] = 8.6981635; YTICKS[2] = 6
YTICK[25] = 6; YTEXT[25] = '6'
YTICK[26] = 6.5; YTEXT[26] = '6.5'
YTICK[27] = 7; YTEXT[27] = '7'
YTICK[28] = 7.5; YTEXT[28] = '7.5'
YTICK[29] = 8; YTEXT[29] = '8'
YTICK[30] = 8.5; YTEXT[30] = '8.5'
YMIN[3] = 5.867151071; YMAX[3] = 9.442895469; YTICKS[3] = 4
YTICK[49] = 6; YTEXT[49] = '6'
YTICK[50] = 7; YTEXT[50] = '7'
YTICK[51] = 8; YTEXT[51] = '8'
YTICK[52] = 9; YTEXT[52] = '9'
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
