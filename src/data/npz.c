/* NumPy's archive of arrays: a zip of .npy files, stored or deflated. Every array must have the same number of rows;
 * see join.h for the order and npy.h for the names of the columns. */
#include <string.h>
#include "data/formats.h"
#include "data/join.h"
#include "data/npy.h"
#include "data/zip.h"

static int ends_npy(const char *name, size_t n) { return n > 4 && !memcmp(name + n - 4, ".npy", 4); }

/* One member, whose array is called `name`; file: "t.npz:X.npy". */
static int array(tamis_context *cx, struct tamis_join *j, const char *file, const char *name,
                 const unsigned char *bytes, size_t n)
{
    struct tamis_stream *s;
    tamis_table *t = NULL;
    if (!tamis_magic(bytes, n, "\x93NUMPY", 6))
        return tamis_fail(cx, TAMIS_DATA, "%s: is not an NPY array; save the file again", file);
    int status = tamis_stream_open_memory(cx, bytes, n, file, &s);
    if (status) return status;
    status = tamis_npy_table(cx, s, name, &t);
    tamis_stream_close(s);
    return status ? status : tamis_join_add(j, name, t);
}

static int member(const struct tamis_zip *z, const struct tamis_zip_member *m, struct tamis_join *j)
{
    size_t length = strlen(m->name);
    struct tamis_text file = {.cx = z->cx};
    unsigned char *bytes = NULL;
    if (!ends_npy(m->name, length))
        return tamis_fail(z->cx, TAMIS_DATA, "%s: member '%.60s' is not an array; save only arrays in an NPZ file",
                          z->file, m->name);
    tamis_text_printf(&file, "%s:%s", z->file, m->name);
    char *name = tamis_strndup(z->cx, m->name, length - 4);
    int status = name && !file.failed ? tamis_zip_unpack(z, m, &bytes) : tamis_status(z->cx);
    if (!status) status = array(z->cx, j, file.s, name, bytes, m->size);
    tamis_free(bytes);
    tamis_free(name);
    tamis_text_free(&file);
    return status;
}

static int read_npz(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    struct tamis_join j = {.cx = cx, .file = tamis_stream_name(s)};
    struct tamis_zip z = {0};
    unsigned char *bytes;
    size_t n;
    (void)o;
    int status = tamis_stream_rest(cx, s, &bytes, &n);
    if (!status) status = tamis_zip_open(cx, tamis_stream_name(s), bytes, n, &z);
    for (size_t i = 0; i < z.members && !status; i++) status = member(&z, &z.member[i], &j);
    if (!status) status = tamis_join_end(&j, &out->table);
    tamis_join_free(&j);
    tamis_zip_close(&z);
    tamis_free(bytes);
    return status;
}

/* A zip archive whose first member is called something.npy; an empty one cannot be told from others. */
static int sniff(const unsigned char *b, size_t n)
{
    size_t name = n >= 30 ? b[26] | (size_t)b[27] << 8 : 0;
    return tamis_magic(b, n, "PK\3\4", 4) && n >= 30 + name && ends_npy((const char *)b + 30, name);
}

const struct tamis_reader tamis_npz = {"npz", "NumPy archive", ".npz", sniff, read_npz, NULL};
