/* Bars and a small curve beside the numbers, only if standard output is a terminal. No colours with NO_COLOR or on a
 * dumb terminal; block characters only in a UTF-8 locale. */
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

int cli_unicode(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < 3; i++) {
        const char *v = getenv(name[i]);
        if (v && *v) return strcasestr(v, "utf-8") || strcasestr(v, "utf8");
    }
    return 0;
}

int cli_terminal_width(void)
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
    int room = cli_terminal_width() - used - 2;
    if (room > 40) room = 40;
    if (room < 4 || !(share > 0)) return;
    int eighths = (int)lround(fmin(share, 1) * room * 8);
    tint("34");
    for (int i = 0; i < eighths / 8; i++) fputs(cli_unicode() ? "\xE2\x96\x88" : "#", stdout);
    if (cli_unicode()) fputs(part[eighths % 8], stdout);
    tint("0");
}

/* Height of a criterion, from 0 to 7; on a logarithmic scale if the largest is more than 30 times the smallest. */
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
    if (cli_unicode()) fputs(block[h], stdout);
    else fputc(plain[h], stdout);
}

/* The criterion along the path, in `columns` characters; the chosen step is at `mark`. */
static void curve(const tamis_result *r, size_t steps, size_t chosen, size_t columns, size_t mark)
{
    double least = INFINITY, most = -INFINITY;
    tamis_step step = {sizeof step};
    for (size_t k = 0; tamis_result_step(r, k, &step); k++)
        if (isfinite(step.criterion)) least = fmin(least, step.criterion), most = fmax(most, step.criterion);
    for (size_t k = 0; k < columns; k++) {
        tamis_result_step(r, k == mark ? chosen : k * steps / columns, &step);
        level(isfinite(step.criterion) ? height(step.criterion, least, most) : 7, k == mark);
    }
    tint("0");
}

void cli_picture_path(const tamis_result *r)
{
    int room = cli_terminal_width() - 12;
    size_t steps = tamis_result_steps(r), chosen = 0;
    tamis_step first = {sizeof first}, last = {sizeof last}, answer = {sizeof answer};
    if (steps < 3 || room < 10) return;
    if (room > 60) room = 60;
    while (tamis_result_step(r, chosen, &answer) && !answer.chosen) chosen++;
    tamis_result_step(r, 0, &first);
    tamis_result_step(r, steps - 1, &last);
    size_t columns = steps < (size_t)room ? steps : (size_t)room, mark = chosen * columns / steps;
    printf("\n  path    ");
    curve(r, steps, chosen, columns, mark);
    size_t n = tamis_result_selected(r, NULL);
    printf("\n  %*s^ %zu input%s", (int)mark + 8, "", answer.inputs, answer.inputs == 1 ? "" : "s");
    if (n != answer.inputs) printf(", %zu of them kept", n);
    printf("; %zu at the start, %zu at the end\n", first.inputs, last.inputs);
}
