# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
YMIN[1] = 106488.5229; YMAX[1] = 146329.704; YTICKS[1] = 4
YTICK[1] = 110000; YTEXT[1] = '110k'
YTICK[2] = 120000; YTEXT[2] = '120k'
YTICK[3] = 130000; YTEXT[3] = '130k'
YTICK[4] = 140000; YTEXT[4] = '140k'
YMIN[2] = 132594.823; YMAX[2] = 149510.6105; YTICKS[2] = 3
YTICK[25] = 135000; YTEXT[25] = '135k'
YTICK[26] = 140000; YTEXT[26] = '140k'
YTICK[27] = 145000; YTEXT[27] = '145k'
YMIN[3] = 98631.1907; YMAX[3] = 142493.8988; YTICKS[3] = 5
YTICK[49] = 100000; YTEXT[49] = '100k'
YTICK[50] = 110000; YTEXT[50] = '110k'
YTICK[51] = 120000; YTEXT[51] = '120k'
YTICK[52] = 130000; YTEXT[52] = '130k'
YTICK[53] = 140000; YTEXT[53] = '140k'
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
