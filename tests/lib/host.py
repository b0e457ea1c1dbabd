"""A program that uses the library in a locale: usage host.py LIBRARY none|setlocale|uselocale LOCALE. Prints, as JSON,
every text that the library makes: results of every method, pages, figures, models, C, CSV, errors and notes."""
import ctypes, json, locale, re, sys
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_void_p

lib = ctypes.CDLL(sys.argv[1])
for name in "context_new options_new result_value comparison_value result_model".split():
    getattr(lib, "tamis_" + name).restype = c_void_p
lib.tamis_error.restype = c_char_p
NOTE = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
texts = {}


def enter(how, name):
    if how == "setlocale":
        locale.setlocale(locale.LC_ALL, name)
    if how == "uselocale":
        libc = ctypes.CDLL(None)
        libc.newlocale.restype = libc.uselocale.restype = c_void_p
        made = libc.newlocale(c_int(0x1FBF), name.encode(), None)  # LC_ALL_MASK of glibc
        assert made and libc.uselocale(c_void_p(made))
    if how != "none":
        buffer = ctypes.create_string_buffer(20)
        ctypes.CDLL(None).snprintf(buffer, c_size_t(20), b"%.1f", c_double(0.5))
        assert buffer.value == b"0,5", buffer.value


def options(cx, **values):
    o = c_void_p(lib.tamis_options_new(cx))
    for name, value in values.items():
        assert not lib.tamis_options_set(o, name.replace("_", "-").encode(), value.encode()), lib.tamis_error(cx)
    return o


def text(cx, function, *words):
    """What a function leaves in its last two arguments, or the error."""
    t, n = c_void_p(), c_size_t()
    if function(cx, *words, byref(t), byref(n)):
        return lib.tamis_error(cx).decode()
    s = ctypes.string_at(t, n.value).decode()
    lib.tamis_release(t)
    return re.sub(r'"(seconds|threads)": ?[0-9.e+-]+', "", s)


def keep_model(cx, name, model, path):
    got = []
    write = WRITE(lambda user, at, n: got.append(ctypes.string_at(at, n).decode()) or 0)
    for to in "c", "json":
        texts[name + " as " + to] = text(cx, lib.tamis_model_export, model, options(cx, to=to))
    lib.tamis_model_predict_csv(cx, model, path.encode(), options(cx), write, None)
    texts[name + " predictions"] = "".join(got)
    again = c_void_p()
    exported = texts[name + " as json"].encode()
    assert not lib.tamis_model_load_memory(cx, exported, c_size_t(len(exported)), byref(again)), lib.tamis_error(cx)
    texts[name + " from json"] = text(cx, lib.tamis_model_export, again, options(cx, to="json"))


def select(cx, path, method, **more):
    table, result = c_void_p(), c_void_p()
    name = method + " " + " ".join(more.values())
    o = options(cx, method=method, threads="1", **more)
    status = lib.tamis_table_read(cx, path.encode(), o, byref(table)) or \
        lib.tamis_select(cx, table, None, o, byref(result))
    assert not status, (name, lib.tamis_error(cx))
    value = c_void_p(lib.tamis_result_value(result))
    texts[name] = text(cx, lib.tamis_result_json, result)
    texts[name + " page"] = re.sub("(?i)<dt>seconds.*?</dd>", "", text(cx, lib.tamis_report_html, value))
    keep_model(cx, name, c_void_p(lib.tamis_result_model(result)), path)


def main():
    enter(*sys.argv[2:4])
    cx = c_void_p(lib.tamis_context_new())
    notes = []
    lib.tamis_context_on_note(cx, note := NOTE(lambda user, s: notes.append(s.decode())), None)
    for path, task, methods in json.load(sys.stdin):
        table, value = c_void_p(), c_void_p()
        assert not lib.tamis_table_read(cx, path.encode(), None, byref(table)), lib.tamis_error(cx)
        texts[path] = text(cx, lib.tamis_table_csv, table)
        assert not lib.tamis_table_describe(cx, table, byref(value))
        texts[path + " described"] = text(cx, lib.tamis_value_json, value)
        for method, more in methods:
            select(cx, path, method, task=task, **more)
    o = c_void_p(lib.tamis_options_new(cx))
    for name, value in ("holdout", "1.5"), ("sigma2", "0,5"), ("gamma", "1:x"), ("noise", "-0.5"):
        lib.tamis_options_set(o, name.encode(), value.encode())
        texts["--%s %s" % (name, value)] = lib.tamis_error(cx).decode()
    generated = c_void_p()
    assert not lib.tamis_table_generate(cx, b"friedman1", options(cx, rows="20", noise="0.5"), byref(generated))
    texts["generated"] = text(cx, lib.tamis_table_csv, generated)
    texts["notes"] = "\n".join(notes)
    json.dump(texts, sys.stdout)


main()
