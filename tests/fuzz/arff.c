/* Weka's files; format.c reads them. */
#include "fuzz.h"

static const char *const words[] = {"@attribute a numeric",
                                    "@attribute 'b c' {x,y,'z w'}",
                                    "@ATTRIBUTE d real",
                                    "@attribute e integer",
                                    "@attribute s string",
                                    "@attribute t date",
                                    "@attribute t date 'yyyy-MM-dd'",
                                    "@attribute n{1,2,1.0}",
                                    "@attribute \"q\\\"\" {}",
                                    "@attribute",
                                    "@attribute a",
                                    "@attribute a relational",
                                    "@data",
                                    "@DATA ",
                                    "@relation r",
                                    "@relation 'a b'",
                                    "@relation",
                                    "@end r",
                                    "% comment",
                                    "%",
                                    "{0 1",
                                    "1 2}",
                                    "{",
                                    "}",
                                    "{}",
                                    "{0 1}",
                                    "{1 x}",
                                    "{0 1, 2 y}",
                                    "{2 1",
                                    "0 5",
                                    "9 1}",
                                    "?",
                                    "'?'",
                                    "x",
                                    "y",
                                    "'x'",
                                    "\"z w\"",
                                    "'a\\'b'",
                                    "'a\\nb'",
                                    "'a",
                                    "1",
                                    "2.5",
                                    "-1e-310",
                                    "1e999",
                                    "nan",
                                    "inf",
                                    "1,5",
                                    "",
                                    " ",
                                    "2024-01-31",
                                    "\xC3\xA4",
                                    "\xFF",
                                    "NA",
                                    "0",
                                    "a b",
                                    "{1}",
                                    "1.0",
                                    "\\",
                                    "'\\"};
static const struct fuzz_words grammar = {", ", words, sizeof words / sizeof *words};

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static const char start[] = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x\n2,y\n";
    if (n < 10 || data[0] != '@') data = (const uint8_t *)start, n = sizeof start - 1;
    fuzz_mutate_grid(&grammar, data, n, out, r);
}

FUZZ_MUTATOR(mutate)
