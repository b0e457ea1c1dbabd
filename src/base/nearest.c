/* The name that is nearest to a mistyped one: the least number of letters inserted, deleted, replaced or swapped with
 * a neighbour, where case does not count and blanks, dots, dashes and underscores are the same letter. */
#include <ctype.h>
#include <string.h>
#include "base/format.h"
#include "base/nearest.h"

enum { LONGEST = 128 };         /* of names that are compared letter by letter */

static int letter(char c) { return strchr(" .-_", c) && c ? '_' : tolower((unsigned char)c); }

static int least(int a, int b) { return a < b ? a : b; }

/* Edit distance with transpositions; `beyond` if a word is longer than LONGEST. */
static int distance(const char *a, const char *b, int beyond)
{
    int row[3][LONGEST + 1], *now = row[0], *last = row[1], *before = row[2];
    size_t n = strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST) return beyond;
    for (size_t j = 0; j <= n; j++) now[j] = (int)j;
    for (size_t i = 1; a[i - 1]; i++) {
        int *spare = before;
        before = last, last = now, now = spare;
        now[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int same = letter(a[i - 1]) == letter(b[j - 1]);
            now[j] = least(last[j - 1] + !same, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) && letter(a[i - 2]) == letter(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return now[n];
}

static int starts(const char *s, const char *with)
{
    while (*with && letter(*s) == letter(*with)) s++, with++;
    return !*with;
}

const char *tamis_nearest(const char *word, tamis_word_at *at, const void *list)
{
    const char *name, *best = NULL, *longer = NULL;
    size_t n = strlen(word);
    int limit = n < 2 ? 0 : n < 6 ? 1 : n < 10 ? 2 : 3, nearest = limit + 1;
    for (size_t i = 0; (name = at(list, i)); i++) {
        int d = *name ? distance(word, name, nearest) : nearest;
        if (d < nearest) nearest = d, best = name;
        if (!longer && n >= 3 && starts(name, word)) longer = name;
    }
    return best ? best : longer;
}

struct tamis_hint tamis_hint(const char *word, tamis_word_at *at, const void *list, const char *otherwise)
{
    struct tamis_hint h;
    const char *name = tamis_nearest(word, at, list);
    if (name && strlen(name) < sizeof h.text - 32) tamis_snprintf(h.text, sizeof h.text, "; did you mean '%s'?", name);
    else tamis_snprintf(h.text, sizeof h.text, "%s", otherwise);
    return h;
}
