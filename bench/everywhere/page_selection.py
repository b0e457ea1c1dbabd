def text(store, parts): return ""
