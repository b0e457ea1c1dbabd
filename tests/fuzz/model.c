/* The reader of model files, on raw bytes and behind a valid checksum; what loads must predict and save. */
#include <string.h>
#include "packed.h"
#include "data/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void use(tamis_context *cx, const tamis_model *m)
{
    static const char row[] = "x1,x2,x3,x4,x5,a,b\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n";
    tamis_table *t = NULL;
    void *bytes = NULL;
    size_t length;
    double *p = tamis_model_targets(m) < 100000 ? calloc(2 * tamis_model_targets(m), sizeof *p) : NULL,
           *score = calloc(2 * 100000, sizeof *score);
    const char *const *name;
    if (p && score && tamis_model_classes(m, &name) < 100000 &&
        !tamis_table_read_memory(cx, row, sizeof row - 1, "row", NULL, &t))
        tamis_model_predict(cx, m, t, p, score);
    if (tamis_model_save_memory(cx, m, &bytes, &length)) abort();
    tamis_release(bytes);
    tamis_table_free(t);
    free(p);
    free(score);
}

static void load(const void *bytes, size_t n)
{
    tamis_context *cx = tamis_context_new();
    tamis_model *m = NULL;
    tamis_context_limits(cx, 1, 0);
    if (!tamis_model_load_memory(cx, bytes, n, &m)) use(cx, m);
    else if (!*tamis_error(cx)) abort();
    tamis_model_free(m);
    tamis_context_free(cx);
}

/* The same fields as another format: the version is a byte of the header, and the checksum follows. */
static void set_version(unsigned char *whole, size_t length, unsigned char version)
{
    whole[11] = version;
    uint64_t sum = tamis_checksum(whole, length - 8, 0);
    for (int i = 0; i < 8; i++) whole[length - 8 + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = tamis_context_new();
    size_t length;
    unsigned char *whole = packed(cx, "MODL", data, n, &length);
    load(data, n);
    for (unsigned char version = 1; version <= 2; version++) {
        set_version(whole, length, version);
        load(whole, length);
    }
    free(whole);
    tamis_context_free(cx);
    return 0;
}
