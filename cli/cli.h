/* The command line; it uses tamis.h only. Results go to standard output, messages to standard error. */
#ifndef TAMIS_CLI_H
#define TAMIS_CLI_H

#include <stdarg.h>
#include <stdio.h>
#include "tamis.h"

struct cli {
    const struct command *command;
    tamis_context *cx;
    tamis_options *options;
    const char **own;           /* values of the options of the command line itself (output_options.c) */
    const char **label;         /* every --label given */
    size_t labels;
    int words;                  /* positional arguments after the command */
    char **word;
    int quiet, progress, verbose;       /* progress: draw it; verbose: write it as lines */
    char phase[64];             /* what was last reported, since when, and when and how far it was shown */
    double began, drawn, written;
    FILE *notes;                /* the library's notes, kept until the end */
    char *note_text;
    size_t note_length;
};

/* How a command's use of a shared option differs; NULL: as the row says; help "": an error, and not shown. */
struct difference { const char *name, *standard, *help; };

struct command {
    const char *name;
    const char *arguments;      /* "DATA" */
    const char *summary;
    const char *accepts;        /* parts and names of options, separated by blanks; "+methods": all options owned by
                                   methods, criteria and searches */
    int least, most;            /* positional arguments */
    int reads_nothing;          /* they are not names of files */
    int spreads;                /* its work can be spread over processes */
    const char *about;          /* a paragraph for the help page */
    const char *examples;
    const struct difference *differs;   /* ended by name NULL; NULL: none */
    int (*run)(struct cli *c);
};

extern const struct command cli_select, cli_compare, cli_predict, cli_report_command, cli_export, cli_describe,
    cli_clean, cli_generate, cli_methods, cli_merge;
const struct command *cli_command_at(size_t i);                         /* NULL past the last */
const struct command *cli_command_find(const char *name);

/* alone.c; in tamis-mpi, mpi/together.c */
void cli_ranks_begin(int *argc, char ***argv);
int cli_follows(void);                          /* another process prints and writes */
int cli_ranks_join(struct cli *c);              /* before a command that spreads; a status */
void cli_ranks_leave(struct cli *c, int status);        /* with what it ended here */
int cli_ranks_end(int code);                    /* the exit code of all processes */

/* args.c */
int cli_parse(struct cli *c, int argc, char **argv);                    /* a status; the sentence is in the context */
int cli_accepts(const struct command *c, const tamis_option_info *o);
int cli_takes(const struct command *c, const char *name);               /* an option of that name */
/* The words that the option at argv[i] of a command that was parsed takes, and its name; 1 and "" if it is none. */
int cli_option_words(const struct command *c, char **argv, int i, char name[64]);
int cli_usage(struct cli *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));                              /* prints the sentence; TAMIS_USAGE */

/* output_options.c */
int cli_options_begin(struct cli *c);
int cli_option_at(size_t i, tamis_option_info *o);                      /* of the command line, then of the library */
int cli_option_set(struct cli *c, const char *name, const char *value); /* a status */
const char *cli_option(const struct cli *c, const char *name);          /* as set, or NULL */
int cli_flag(const struct cli *c, const char *name);                    /* of the command line's own */
int cli_option_own(const char *name);                                   /* whether it is one of these */
void cli_options_pass(struct cli *to, const struct cli *from);          /* those that are set; not copied */

/* help.c */
void cli_help(FILE *f);
/* To standard output; all: every option, through a pager if that is a terminal. */
void cli_help_command(const struct command *c, int all);
void cli_manual(FILE *f);
void cli_completion(FILE *f);

/* signals.c */
void cli_signals(void);
void cli_signals_stop(tamis_context *cx);       /* the next signal asks cx to stop; NULL: it ends the program */
void cli_signals_output(tamis_output *o);       /* abandoned where a signal ends the program; NULL: none */
void cli_signals_advice(const struct cli *c);   /* how to resume, for cli_say_stopped */
void cli_say_stopped(void);                     /* once; safe in a signal handler */
/* Descriptors 0 to 2, where closed, become /dev/null opened the wrong way round: what is read or written there fails,
 * and no file that is opened later takes their place. */
void cli_descriptors(void);

/* shard.c */
int cli_shard_begin(struct cli *c);             /* before a run: whatever --shard asks for; a status */
int cli_shard_write(struct cli *c);             /* after it: the part, to --output */
int cli_shard_command(struct cli *c, int argc, char **argv);    /* the command of the whole run, for the options */

/* outputs.c */
int cli_outputs_check(struct cli *c);           /* before a run: can what it writes be written? A status */

/* report.c */
int cli_report_check(struct cli *c);                                    /* before a run: can --plot be written? */
int cli_report(struct cli *c, const tamis_value *result);               /* writes what --report and --plot name */

/* png.c */
int cli_png_available(void);
int cli_png_write(struct cli *c, const char *path, int pdf, const char *svg, size_t n);        /* or as PDF */

/* picture.c */
int cli_picture_wanted(void);                                           /* standard output is a terminal */
int cli_terminal_width(void);                                           /* columns; 80 where unknown */
int cli_unicode(void);                                                  /* the locale is UTF-8 */
void cli_picture_bar(double share, int used);                           /* on a line where `used` columns are taken */
void cli_picture_path(const tamis_result *r);

/* estimate.c */
double cli_seconds(double flops, int threads);  /* on this machine, with so many threads */
double cli_megabytes(double bytes);             /* of the process */
int cli_threads(const struct cli *c);           /* of --threads, or all cores */

/* output.c */
void cli_say(const char *format, ...)
    __attribute__((format(printf, 1, 2)));      /* "tamis: ..." on standard error, one line fit for a terminal */
void cli_vsay(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));
int cli_flush(void); /* standard output: TAMIS_SYSTEM if it failed, said unless something was */
void cli_put(const char *s);                    /* a name to standard output, fit for a terminal */
int cli_fail(struct cli *c, int status);        /* prints the context's error, or how to resume; returns status */
int cli_write(struct cli *c, const char *path, const char *bytes, size_t n);    /* NULL or "-": standard output */
int cli_print_json(struct cli *c, const tamis_value *v);                /* to standard output */
int cli_read_table(struct cli *c, const char *path, tamis_table **t);
int cli_callbacks(struct cli *c);                                       /* a status */
void cli_show_notes(struct cli *c, int status);
void cli_clear_progress(const struct cli *c);
int cli_width(const char *s);                   /* columns that a text takes on a terminal, about */
void cli_padded(const char *s, int width);      /* the same, and blanks */

#endif
