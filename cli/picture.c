/* What a terminal shows beside the numbers: bars and a small curve. Nothing of it where standard output is not a
 * terminal; no colours with NO_COLOR or on a dumb terminal; block characters where the locale is UTF-8. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli.h"

int cli_picture_wanted(void) { return isatty(STDOUT_FILENO); }

static int coloured(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb");
}

static int blocks(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *v = getenv(name[i]);
        if (v && *v) return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    }
    return 0;
}

static int terminal_width(void)
{
    struct winsize w;
    return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 80;
}

static void tint(const char *code)
{
    if (coloured()) printf("\033[%sm", code);
}

void cli_picture_bar(double share, int used)
{
    static const char *const part[] = {"",             "\xE2\x96\x8F", "\xE2\x96\x8E", "\xE2\x96\x8D",
                                       "\xE2\x96\x8C", "\xE2\x96\x8B", "\xE2\x96\x8A", "\xE2\x96\x89"};
    int room = terminal_width() - used - 2;
    if (room > 40) room = 40;
    if (room < 4 || !(share > 0)) return;
    int eighths = (int)lround(fmin(share, 1) * room * 8);
    tint("34");
    for (int i = 0; i < eighths / 8; i++) fputs(blocks() ? "\xE2\x96\x88" : "#", stdout);
    if (blocks()) fputs(part[eighths % 8], stdout);
    tint("0");
}

/* Height from 0 to 7 of a criterion, on a logarithmic scale where it spans more than a factor of thirty. */
static int height(double v, double least, double most)
{
    int log_scale = least > 0 && most > 30 * least;
    double share = most > least ? (log_scale ? log(v / least) / log(most / least) : (v - least) / (most - least)) : 0;
    return (int)lround(7 * fmin(fmax(share, 0), 1));
}

/* One character of the curve, h from 0 to 7. */
static void level(int h, int mark)
{
    static const char *const block[] = {"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                        "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
    static const char plain[] = "_.,-=+*#";
    tint(mark ? "33" : "34");
    if (blocks()) fputs(block[h], stdout);
    else fputc(plain[h], stdout);
}

static void curve(const tamis_result *r, size_t columns, size_t mark)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < r->steps; k++)
        if (isfinite(r->path[k].criterion))
            least = fmin(least, r->path[k].criterion), most = fmax(most, r->path[k].criterion);
    for (size_t k = 0; k < columns; k++) {
        size_t at = k == mark ? r->chosen_step : k * r->steps / columns;
        double criterion = r->path[at].criterion;
        level(isfinite(criterion) ? height(criterion, least, most) : 7, k == mark);
    }
    tint("0");
}

void cli_picture_path(const tamis_result *r)
{
    int room = terminal_width() - 12;
    if (r->steps < 3 || room < 10) return;
    if (room > 60) room = 60;
    size_t columns = r->steps < (size_t)room ? r->steps : (size_t)room, mark = r->chosen_step * columns / r->steps;
    size_t size = r->path[r->chosen_step].size;
    printf("\n  path    ");
    curve(r, columns, mark);
    printf("\n  %*s^ %zu input%s; %zu at the start, %zu at the end\n", (int)mark + 8, "", size, size == 1 ? "" : "s",
           r->path[0].size, r->path[r->steps - 1].size);
}
