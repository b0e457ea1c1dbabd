/* What the fuzz targets share: a context that lives as long as the process, random numbers for the mutators, and the
 * mutators themselves, which know the structure of what they change. A target is one file: LLVMFuzzerTestOneInput
 * and, with FUZZ_MUTATOR, what makes new inputs from old ones. */
#ifndef TAMIS_FUZZ_H
#define TAMIS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/base.h"
#include "base/context.h"
#include "data/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* Ends the process with the words of the condition, and the last sentence of the context. */
#define check(good) ((good) ? (void)0 : fuzz_wrong(#good, __FILE__, __LINE__))
void fuzz_wrong(const char *condition, const char *file, int line);

/* One context for all executions, with one thread and at most 1 GB; its notes and error are forgotten. */
tamis_context *fuzz_context(void);
/* Names, types, levels and values of a table that was read are within range. */
void fuzz_check_table(const tamis_table *t);
/* Reads the bytes as a table named "f": an error is a sentence that names the file, a table is within range. NULL: an
 * error. */
tamis_table *fuzz_read_table(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o);
/* The same for a file of any format, at length: reading it again gives the same table or error, reading it block by
 * block the same values and labels, and what is written of the table is read as the same table. */
void fuzz_check_reading(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o);
/* Blocks of the bytes, which are delimited text if `as_csv`, against the table. */
void fuzz_check_blocks(tamis_context *cx, const tamis_table *t, const uint8_t *data, size_t n, const tamis_options *o,
                       int as_csv);
/* What is written of the table is read as the same table. */
void fuzz_check_written(tamis_context *cx, const tamis_table *t);
/* Options of reading: none for most bytes, else one of a few. */
const tamis_options *fuzz_read_options(tamis_context *cx, const uint8_t *data, size_t n);
/* Predicts two rows, which may fail with a sentence, and saves the model, which may not. */
void fuzz_use_model(tamis_context *cx, const tamis_model *m);
/* The bytes as fields of a packed file, behind a header and a valid checksum, in memory that the next call reuses. */
unsigned char *fuzz_packed(const char kind[4], unsigned version, const uint8_t *data, size_t n, size_t *length);

/* ---- whole runs ---- */

tamis_table *fuzz_small_table(tamis_context *cx, int classes);                  /* 14 rows of three inputs */
tamis_options *fuzz_worded(tamis_context *cx, const char *words);               /* "name=value name=value" */
/* The path of a file of this process, in memory where there is such a place. */
void fuzz_scratch(const char *ending, char *path, size_t room);

/* ---- mutators ---- */

struct fuzz_random { uint64_t state; };
size_t fuzz_pick(struct fuzz_random *r, size_t n);                      /* 0 to n - 1; n = 0: 0 */

struct fuzz_bytes { uint8_t *b; size_t n, max; };       /* what a mutator writes; more than max is left out */
void fuzz_put(struct fuzz_bytes *out, const void *bytes, size_t n);

typedef void fuzz_mutator(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r);
/* One time in four libFuzzer's own mutations, else the mutator. */
size_t fuzz_mutate(uint8_t *data, size_t n, size_t max, unsigned seed, fuzz_mutator *mutate);
#define FUZZ_MUTATOR(mutate)                                                                     \
    size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)        \
    {                                                                                            \
        return fuzz_mutate(data, size, max, seed, mutate);                                       \
    }

/* Rows of cells: cells, rows and columns are exchanged, repeated, quoted and replaced by words of the format. */
struct fuzz_words { const char *delimiters; const char *const *word; size_t words; };
void fuzz_mutate_grid(const struct fuzz_words *w, const uint8_t *data, size_t n, struct fuzz_bytes *out,
                      struct fuzz_random *r);
/* JSON: values are exchanged, repeated, wrapped and replaced; members get names that the readers look for. */
void fuzz_mutate_json(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r);
/* XML: elements are exchanged, repeated, nested, renamed; attributes and texts are replaced. */
void fuzz_mutate_xml(const struct fuzz_words *w, const uint8_t *data, size_t n, struct fuzz_bytes *out,
                     struct fuzz_random *r);
/* NumPy's arrays: types, shapes, orders and versions, with as many bytes of data as they need, most of the time. */
void fuzz_mutate_npy(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r);
/* MATLAB's files: elements, arrays and the numbers in their heads, packed and not, with lengths that mostly fit. */
void fuzz_mutate_mat(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r);
/* Zip archives: members are changed by `inside`, exchanged, repeated and renamed; checksums and sizes fit again, most
 * of the time. Nothing is put if the bytes are not an archive. */
void fuzz_mutate_zip(fuzz_mutator *inside, const struct fuzz_words *names, const uint8_t *data, size_t n,
                     struct fuzz_bytes *out, struct fuzz_random *r);
/* Fields of packed files: whole numbers, doubles and texts with their lengths. The first byte is left alone. */
void fuzz_mutate_fields(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r);

#endif
