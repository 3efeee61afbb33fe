# What is different in a narrow page, made by loopbench; the programs that read them are plots/*.gp of its sources.
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
NARROW = 1
W = 344
H = 893
HEAD = 73
COLUMNS = 1
ROWS = 2
LEFT = 16.0
PANELW = 312.0
PANELH = 334.0
GAPX = 0
GAPY = 68
BOTTOM = 58
TEXTX = 8
array LINE[8]
LINE[1] = 'hello: target, connections, against libevent;'
LINE[2] = 'interval of the verdict; band: within 3%'
LINES = 2
KEYS = 0
array KEYX[1]
array KEYY[1]
array KEYTEXT[1]
array KEYOF[1]
