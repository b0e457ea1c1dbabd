/* LIBSVM's files; format.c reads them. */
#include "fuzz.h"

static const char *const words[] = {"1",
                                    "-1",
                                    "+1",
                                    "0",
                                    "2.5",
                                    "1e999",
                                    "nan",
                                    "-inf",
                                    "1,2",
                                    "1:1",
                                    "2:0.5",
                                    "3:1",
                                    "0:7",
                                    "4:-1e-310",
                                    "5:1e308",
                                    "6:nan",
                                    "7:inf",
                                    "100:1",
                                    "60000:2",
                                    "9999999999:1",
                                    "99999999999:1",
                                    "qid:1",
                                    "qid:",
                                    "qid",
                                    "#",
                                    "# c",
                                    "1:",
                                    ":1",
                                    "1:a",
                                    "a:1",
                                    "-1:1",
                                    "1:1:1",
                                    "1 :1",
                                    "x",
                                    "",
                                    "1:1#",
                                    "\t",
                                    "2:+3",
                                    "2:.5",
                                    "2:5."};
static const struct fuzz_words grammar = {" \t", words, sizeof words / sizeof *words};

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static const char start[] = "1 1:0.5 3:2\n-1 2:1\n";
    if (n < 4) data = (const uint8_t *)start, n = sizeof start - 1;
    fuzz_mutate_grid(&grammar, data, n, out, r);
}

FUZZ_MUTATOR(mutate)
