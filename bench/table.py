#!/usr/bin/env python3
"""Writes a CSV table of random numbers and a label: table.py FILE MEGABYTES. It has 20 columns with six decimals, and
repeats 20,000 rows in random order. FILE.json is the pipeline with which dl4go transform makes Parquet of it."""
import json
import random
import sys

draw = random.Random(1)
rows = []
for _ in range(20_000):
    x = [draw.gauss(0, 1) for _ in range(20)]
    rows.append(','.join('%.6f' % v for v in x) + (',yes' if sum(x) > 0 else ',no'))
left = float(sys.argv[2]) * 1e6
with open(sys.argv[1], 'w') as out:
    out.write(','.join('c%d' % i for i in range(20)) + ',label\n')
    while left > 0:
        draw.shuffle(rows)
        text = '\n'.join(rows) + '\n'
        out.write(text)
        left -= len(text)

datavec = 'org.datavec.api.transform.'
columns = [{'@class': datavec + 'metadata.DoubleMetaData', 'name': 'c%d' % i} for i in range(20)]
columns.append({'@class': datavec + 'metadata.StringMetaData', 'name': 'label'})
with open(sys.argv[1] + '.json', 'w') as out:
    json.dump({'initialSchema': {'@class': datavec + 'schema.Schema', 'columns': columns}, 'actionList': []}, out)
