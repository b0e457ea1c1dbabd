#!/usr/bin/python3
"""Reads and describes a table with pandas. usage: pandas_describe.py data.csv; the last line is JSON: cpu, wall."""
import sys

import pandas

from clock import Clock

clock = Clock()
table = pandas.read_csv(sys.argv[1])
table.describe()
table.isna().sum()
clock.report(rows=len(table))
