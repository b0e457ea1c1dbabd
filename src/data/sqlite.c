/* SQLite databases, read only: the rows of --query, or of the only table. The database is opened read-only (or, where
 * it is not a plain file, from a copy in memory), with an authorizer that lets nothing but SELECT through: no
 * extensions, no attached files, no pragmas, no changes. Values go to the CSV reader as text. */
#include <string.h>
#include "base/number.h"
#include "data/formats.h"

#ifdef TAMIS_SQLITE
#include <sqlite3.h>

enum { STEPS = 20000, LONGEST_VALUE = 1 << 26, SHOWN_TABLES = 200 };

struct base {
    tamis_context *cx;
    const char *file;
    sqlite3 *db;
    sqlite3_stmt *rows;
    unsigned char *bytes;               /* the database, if it is not a file */
};

static int failed(struct base *b, int status)
{
    if (tamis_check_cancel(b->cx)) return tamis_status(b->cx);
    if (status == TAMIS_USAGE)
        return tamis_fail(b->cx, status, "--query: %.200s; give one SELECT statement", sqlite3_errmsg(b->db));
    if (sqlite3_errcode(b->db) == SQLITE_NOMEM)
        return tamis_fail(b->cx, TAMIS_MEMORY, "%s: SQLite is out of memory; select fewer rows or columns", b->file);
    return tamis_fail(b->cx, TAMIS_DATA, "%s: SQLite cannot read it (%.200s); check the database", b->file,
                      sqlite3_errmsg(b->db));
}

/* ---- opening ---- */

static int stop(void *cx) { return tamis_cancelled(cx); }

static int allow(void *user, int what, const char *a, const char *b, const char *c, const char *d)
{
    (void)user, (void)a, (void)b, (void)c, (void)d;
    return what == SQLITE_SELECT || what == SQLITE_READ || what == SQLITE_FUNCTION || what == SQLITE_RECURSIVE
               ? SQLITE_OK
               : SQLITE_DENY;
}

static void restrict_to_reading(struct base *b)
{
    sqlite3_db_config(b->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(b->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_exec(b->db, "PRAGMA cell_size_check = 1", NULL, NULL, NULL);        /* damaged pages are not read beyond */
    sqlite3_limit(b->db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(b->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_set_authorizer(b->db, allow, NULL);
    sqlite3_progress_handler(b->db, STEPS, stop, b->cx);
}

/* A copy in memory cannot have a write-ahead log: the header is told so. */
static int open_copy(struct base *b, struct tamis_stream *s)
{
    size_t n;
    int status = tamis_stream_rest(b->cx, s, &b->bytes, &n);
    if (status) return status;
    if (n < 512) return tamis_fail(b->cx, TAMIS_DATA, "%s: the database is truncated; fetch it again", b->file);
    if (b->bytes[18] == 2 && b->bytes[19] == 2) b->bytes[18] = b->bytes[19] = 1;
    if (sqlite3_open_v2(":memory:", &b->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
        sqlite3_deserialize(b->db, "main", b->bytes, (sqlite3_int64)n, (sqlite3_int64)n,
                            SQLITE_DESERIALIZE_READONLY))
        return failed(b, TAMIS_DATA);
    return TAMIS_OK;
}

static int open_base(struct base *b, struct tamis_stream *s)
{
    const char *path = tamis_stream_path(s);
    int status = TAMIS_OK;
    if (!path) status = open_copy(b, s);
    else {
        char *plain = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);  /* not a URI, whatever it looks like */
        if (!plain) return tamis_fail(b->cx, TAMIS_MEMORY, "%s: SQLite is out of memory", b->file);
        if (sqlite3_open_v2(plain, &b->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL))
            status = failed(b, TAMIS_DATA);
        sqlite3_free(plain);
    }
    if (!status) restrict_to_reading(b);
    return status;
}

static void close_base(struct base *b)
{
    sqlite3_finalize(b->rows);
    sqlite3_close(b->db);
    tamis_free(b->bytes);
}

/* ---- which rows ---- */

static int prepare(struct base *b, const char *sql, int fault)
{
    const char *rest = "";
    if (sqlite3_prepare_v2(b->db, sql, -1, &b->rows, &rest)) return failed(b, fault);
    if (!b->rows || !sqlite3_column_count(b->rows) || rest[strspn(rest, " \t\r\n;")])
        return tamis_fail(b->cx, fault, "--query: not one SELECT statement; give one that returns rows");
    return TAMIS_OK;
}

static int say_tables(struct base *b, size_t count, const char *list)
{
    if (!count) return tamis_fail(b->cx, TAMIS_DATA, "%s: the database has no tables", b->file);
    return tamis_fail(b->cx, TAMIS_USAGE, "%s: %zu tables (%s); choose, as in --query \"select * from NAME\"", b->file,
                      count, list);
}

/* The only table, or else the only view. */
static int only_table(struct base *b, const char *kind)
{
    struct tamis_text list = {.cx = b->cx};
    char *sql = sqlite3_mprintf("SELECT name FROM sqlite_master WHERE type = %Q AND name NOT LIKE 'sqlite\\_%%' "
                                "ESCAPE '\\' ORDER BY name", kind), *select = NULL;
    size_t count = 0;
    int step = SQLITE_DONE, status = sql ? prepare(b, sql, TAMIS_DATA) : TAMIS_MEMORY;
    while (!status && (step = sqlite3_step(b->rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(b->rows, 0);
        if (!count++) select = sqlite3_mprintf("SELECT * FROM \"%w\"", name ? name : "");
        if (list.length < SHOWN_TABLES) tamis_text_printf(&list, "%s%.60s", count > 1 ? ", " : "", name ? name : "");
    }
    if (!status && step != SQLITE_DONE) status = failed(b, TAMIS_DATA);
    sqlite3_finalize(b->rows);
    b->rows = NULL;
    if (!status && count == 1) status = select ? prepare(b, select, TAMIS_DATA) : TAMIS_MEMORY;
    else if (!status && (count > 1 || !strcmp(kind, "view"))) status = say_tables(b, count, list.s);
    if (status == TAMIS_MEMORY) tamis_fail(b->cx, status, "%s: SQLite is out of memory", b->file);
    tamis_text_free(&list);
    sqlite3_free(select);
    sqlite3_free(sql);
    return status;
}

static int choose(struct base *b, const char *query)
{
    if (query) return prepare(b, query, TAMIS_USAGE);
    int status = only_table(b, "table");
    return status || b->rows ? status : only_table(b, "view");
}

/* ---- rows as text ---- */

static int value(struct base *b, struct tamis_text *out, int j, const char *before)
{
    char number[40];
    const char *s = (const char *)sqlite3_column_text(b->rows, j);
    switch (sqlite3_column_type(b->rows, j)) {
    case SQLITE_NULL: s = sqlite3_column_count(b->rows) == 1 ? "NA" : ""; break;
    case SQLITE_FLOAT: s = tamis_number_text(sqlite3_column_double(b->rows, j), number); break;
    case SQLITE_BLOB:
        return tamis_fail(b->cx, TAMIS_DATA, "%s: column '%.60s' holds binary data; leave it out with --query", b->file,
                          sqlite3_column_name(b->rows, j));
    default:
        if (!s) return failed(b, TAMIS_DATA);
    }
    tamis_csv_put(out, s, strlen(s), before);
    return TAMIS_OK;
}

static int write_rows(struct base *b, struct tamis_text *out)
{
    int columns = sqlite3_column_count(b->rows), step, status = TAMIS_OK;
    double checked = 0;
    for (int j = 0; j < columns; j++) {
        const char *name = sqlite3_column_name(b->rows, j);
        tamis_csv_put(out, name ? name : "", name ? strlen(name) : 0, j ? "," : "");
    }
    tamis_text_puts(out, "\n");
    while (!status && (step = sqlite3_step(b->rows)) != SQLITE_DONE) {
        if (step != SQLITE_ROW) return failed(b, TAMIS_DATA);
        for (int j = 0; j < columns && !status; j++) status = value(b, out, j, j ? "," : "");
        tamis_text_puts(out, "\n");
        if (!status) status = tamis_text_within(out, &checked);
    }
    return status;
}

static int read_sqlite(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    struct base b = {.cx = cx, .file = tamis_stream_name(s)};
    (void)o;
    int status = open_base(&b, s);
    if (!status) status = choose(&b, out->choice);
    if (!status) status = write_rows(&b, &out->csv);
    out->named = 1;
    close_base(&b);
    return status;
}
#else
#define read_sqlite NULL
#endif

static int sniff(const unsigned char *b, size_t n) { return tamis_magic(b, n, "SQLite format 3", 16); }

const struct tamis_reader tamis_sqlite = {
    "sqlite", "SQLite database", ".sqlite .db", sniff, read_sqlite,
    "is a SQLite database, which this build does not read; build with libsqlite3-dev, or export the table as CSV",
    "query"};
