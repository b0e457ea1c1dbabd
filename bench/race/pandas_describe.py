#!/usr/bin/python3
"""pandas: a table read and described. usage: pandas_describe.py data.csv; the last line is JSON: cpu, wall."""
import sys

import pandas

from clock import Clock

clock = Clock()
table = pandas.read_csv(sys.argv[1])
table.describe()
table.isna().sum()
clock.report(rows=len(table))
