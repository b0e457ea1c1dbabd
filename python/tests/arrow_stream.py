"""A stream of Arrow's C interface made with ctypes, for tests without pyarrow: batches of columns of doubles, of int64
with missing values, and of texts."""
import array
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
                   ("n_children", c_int64), ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)),
                   ("release", CFUNCTYPE(None, POINTER(Schema))), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
                  ("dictionary", POINTER(Array)), ("release", CFUNCTYPE(None, POINTER(Array))),
                  ("private_data", c_void_p)]
Stream._fields_ = [("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
                   ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))),
                   ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
                   ("release", CFUNCTYPE(None, POINTER(Stream))), ("private_data", c_void_p)]


def bitmap(values):
    bits = bytearray(-(-len(values) // 8))
    for i, v in enumerate(values):
        bits[i // 8] |= (v is not None) << i % 8
    return bytes(bits)


def encode(values):
    """The format and the buffers of a column."""
    if any(isinstance(v, str) for v in values):
        texts = [(v or "").encode() for v in values]
        offsets = array.array("i", [0])
        for t in texts:
            offsets.append(offsets[-1] + len(t))
        return b"u", [bitmap(values), offsets.tobytes(), b"".join(texts)]
    if all(v is None or isinstance(v, int) for v in values):
        return b"l", [bitmap(values), array.array("q", [v or 0 for v in values]).tobytes()]
    return b"g", [bitmap(values), array.array("d", [v or 0 for v in values]).tobytes()]


class Table:
    """Columns in batches of so many rows; alive until the stream is released."""

    def __init__(self, columns, batch=7):
        self.columns, self.batch, self.released = columns, batch, 0

    def __arrow_c_stream__(self, requested_schema=None):
        rows = len(next(iter(self.columns.values())))
        self.at, self.kept, kept = 0, [], []
        release_schema = Schema._fields_[7][1](lambda p: setattr(p.contents, "release", type(p.contents.release)()))
        release_array = Array._fields_[8][1](lambda p: setattr(p.contents, "release", type(p.contents.release)()))

        def pointers(kind, items):
            held = (POINTER(kind) * len(items))(*map(ctypes.pointer, items))
            kept.extend([held, *items])
            return held

        def get_schema(_, out):
            children = [Schema(format=encode(v)[0], name=name.encode(), flags=2, release=release_schema)
                        for name, v in self.columns.items()]
            out[0] = Schema(format=b"+s", name=b"", n_children=len(children), children=pointers(Schema, children),
                            release=release_schema)
            return 0

        def child(values):
            held = [ctypes.create_string_buffer(b, max(1, len(b))) for b in encode(values)[1]]
            buffers = (c_void_p * len(held))(*(ctypes.addressof(b) for b in held))
            kept.extend([buffers, *held])
            return Array(length=len(values), null_count=-1, n_buffers=len(held), buffers=buffers, release=release_array)

        def get_next(_, out):
            if self.at >= rows:
                out[0] = Array()
                return 0
            part = [child(v[self.at:self.at + self.batch]) for v in self.columns.values()]
            buffers = (c_void_p * 1)(None)
            kept.append(buffers)
            out[0] = Array(length=min(self.batch, rows - self.at), n_buffers=1, buffers=buffers, n_children=len(part),
                           children=pointers(Array, part), release=release_array)
            self.at += self.batch
            return 0

        def release(p):
            self.released += 1
            p.contents.release = type(p.contents.release)()

        fields = {name: kind for name, kind in Stream._fields_}
        stream = Stream(fields["get_schema"](get_schema), fields["get_next"](get_next),
                        fields["get_last_error"](lambda _: b"no error"), fields["release"](release))
        self.kept = [stream, kept, release_schema, release_array]
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)
