#!/usr/bin/env python3
"""Writes the small files under tests/fuzz/seeds/FORMAT, which fuzzing starts from and tests/test_formats.c truncates.
Needs nothing but Python: the formats are made by hand, byte by byte. usage: tests/fuzz/format_seeds.py [FORMAT...]"""
import os, struct, sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")


def npy(descr, shape, data, fortran=False, version=1):
    text = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)
    head = text.encode("utf-8" if version == 3 else "latin-1")
    size = 2 if version == 1 else 4
    head += b" " * (-(len(head) + 9 + size) % 16) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(size, "little") + head + data


def npy_files():
    yield "matrix", npy("'<f8'", "(3, 2)", struct.pack("<6d", 1, 2.5, 3, -4, 5, float("nan")))
    yield "fortran", npy("'>i2'", "(3, 2)", struct.pack(">6h", 1, 2, 3, -4, 5, 6), True, 2)
    yield "half", npy("'<f2'", "(4,)", struct.pack("<4e", 0.5, -2, 6e-8, 65504))
    yield "records", npy("[('a', '<f4'), ('', '|V2'), ('n\u00e9', '|S3'), ('u', '<U2'), ('t', '|b1')]", "(2,)",
                         struct.pack("<f2x3s", 1.5, b"ab\0") + "x\u2603".encode("utf-32-le") + b"\1" +
                         struct.pack("<f2x3s", 2.5, b"abc") + "y\0".encode("utf-32-le") + b"\0", version=3)


def libsvm_files():
    yield "plain", b"1 1:0.5 3:2\n-1 2:1e-3 # a remark\n\n+1\n"
    yield "zero", b"# from 0\n0.5 qid:3 0:1 7:nan\n1.5 qid:3 1:2\n"


FORMATS = {"npy": npy_files, "libsvm": libsvm_files}

if __name__ == "__main__":
    for name in sys.argv[1:] or FORMATS:
        os.makedirs(os.path.join(HERE, name), exist_ok=True)
        for file, data in FORMATS[name]():
            with open(os.path.join(HERE, name, file), "wb") as f:
                f.write(data)
