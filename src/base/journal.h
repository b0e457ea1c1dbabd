/* A checkpoint of finished parts: a run that does the same things in the same order writes down what each part found,
 * and when it is resumed takes the first parts from the file instead of computing them. */
#ifndef TAMIS_JOURNAL_H
#define TAMIS_JOURNAL_H

#include "base/items.h"

struct tamis_journal_part { size_t n; double *v; };

struct tamis_journal {
    struct tamis_checkpoint file;
    struct tamis_journal_part *part;
    size_t parts, room, at;             /* at: the next part to take */
    size_t saved;                       /* parts in the file */
    int resumed;                        /* there was a file */
    double saved_at;
};

/* Reads the file, or makes an empty one. path NULL: nothing is kept. Close it in any case. */
int tamis_journal_open(struct tamis_journal *j, tamis_context *cx, const char *path, uint64_t fingerprint);
/* Saves what the file lacks, also after a stop. Returns status, or that of saving; a sentence about data names the file
 * if the run resumed from it. */
int tamis_journal_close(struct tamis_journal *j, int status);

/* The next part into v if there is one (*had); TAMIS_DATA if it does not have n numbers. */
int tamis_journal_take(struct tamis_journal *j, double *v, size_t n, int *had);
int tamis_journal_add(struct tamis_journal *j, const double *v, size_t n);     /* a part that was not there to take */
int tamis_journal_damaged(struct tamis_journal *j);                            /* TAMIS_DATA: a part makes no sense */
/* Are all n numbers counts of at most `most`? */
int tamis_journal_counts(const double *v, size_t n, size_t most);

/* tamis_items_run() over items of which each is a part of `size` numbers. j NULL: nothing is kept. With a file, as many
 * items at a time as there are threads. */
struct tamis_journal_items {
    size_t size;
    void (*pack)(const void *arg, size_t item, double *v);
    int (*unpack)(void *arg, size_t item, const double *v);     /* 0: the numbers make no sense */
    const char *name;           /* as in struct tamis_items, as is the next */
    int every;
};
int tamis_journal_loop(tamis_context *cx, struct tamis_journal *j, size_t items, tamis_body *body, void *arg,
                       const struct tamis_journal_items *how);

#endif
