/* SQLite databases; format.c reads them. New databases are made by SQL, run on a copy of the old one, or by changes of
 * its pages: header fields, cell pointers, whole pages, texts of the schema. */
#include "fuzz.h"
#ifdef TAMIS_SQLITE
#include <sqlite3.h>

enum { SMALLEST = 512, STEPS = 20000 };

static const char *const statements[] = {
    "create table t(a, b, c)",
    "create table u(a int, b text, c real)",
    "create view v as select * from t",
    "drop table t",
    "drop table u",
    "drop view v",
    "insert into t default values",
    "insert into t select * from t",
    "delete from t",
    "create index i on t(a)",
    "alter table t add column d",
    "alter table t rename to \"sqlite x\"",
    "alter table t rename to u",
    "alter table t rename column a to ''",
    "alter table t rename column a to b",
    "create table w(a primary key) without rowid",
    "create table \"a\"\"b\"(\"x,y\", \"z\nw\")",
    "create view v as select 1 as a, null as b",
    "pragma encoding='UTF-16'",
    "create view v(a) as with recursive r(x) as (select 1 union all select x+1 from r limit 5) select x from r",
    "create table g(a, b as (a*2))",
    "create table t(a, a1, y)",
    "create virtual table f using fts5(a)",
    "vacuum",
    "create view v as select * from v",
    "create trigger r after insert on t begin select 1; end",
    "create table t(a)",
    "pragma journal_mode=wal"};
static const char *const values[] = {"0",
                                     "1",
                                     "-1",
                                     "2.5",
                                     "1e300",
                                     "1e-310",
                                     "9e999",
                                     "-9e999",
                                     "null",
                                     "''",
                                     "'a'",
                                     "'1'",
                                     "' 1 '",
                                     "'1,5'",
                                     "'NA'",
                                     "'a,b'",
                                     "'a''b'",
                                     "'a\nb'",
                                     "'\"'",
                                     "x'00'",
                                     "x''",
                                     "x'ff'",
                                     "char(0)",
                                     "char(228)",
                                     "'2024-01-31'",
                                     "9223372036854775807",
                                     "cast(x'ff' as text)",
                                     "cast(x'610062' as text)",
                                     "printf('%.300c','x')",
                                     "0.1",
                                     "-0.0",
                                     "'nan'",
                                     "'inf'",
                                     "true",
                                     "'?'"};
static const char *const tables[] = {"t", "t", "t", "u", "w", "g"};

#define SOME(list) list[fuzz_pick(r, sizeof list / sizeof *list)]

static void run_some(sqlite3 *db, struct fuzz_random *r)
{
    char sql[400];
    for (size_t k = 1 + fuzz_pick(r, 3); k; k--) {
        switch (fuzz_pick(r, 4)) {
        case 0: snprintf(sql, sizeof sql, "%s", SOME(statements)); break;
        case 1: snprintf(sql, sizeof sql, "update %s set rowid = rowid, %c = %s where rowid = %zu", SOME(tables),
                         "abcy"[fuzz_pick(r, 4)], SOME(values), fuzz_pick(r, 5)); break;
        case 2: snprintf(sql, sizeof sql, "insert into %s values(%s)", SOME(tables), SOME(values)); break;
        default:
            snprintf(sql, sizeof sql, "insert into %s values(%s, %s, %s)", SOME(tables), SOME(values), SOME(values),
                     SOME(values));
        }
        sqlite3_exec(db, sql, NULL, NULL, NULL);
    }
}

static int enough(void *user) { return user != NULL; }

static void by_sql(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    sqlite3 *db = NULL;
    sqlite3_int64 length = 0;
    unsigned char *copy = sqlite3_malloc64(n + 1);
    check(copy && !sqlite3_open(":memory:", &db));
    memcpy(copy, data, n);
    sqlite3_progress_handler(db, STEPS, enough, db);
    if (n < SMALLEST)
        sqlite3_free(copy), sqlite3_exec(db, "pragma page_size=512;create table t(a,b,c)", NULL, NULL, NULL);
    else sqlite3_deserialize(db, "main", copy, (sqlite3_int64)n, (sqlite3_int64)n,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    run_some(db, r);
    unsigned char *new = sqlite3_serialize(db, "main", &length, 0);
    if (new && (size_t)length <= out->max) fuzz_put(out, new, (size_t)length);
    sqlite3_free(new);
    sqlite3_close(db);
}

/* A byte, two or four of the file's header, of a page's header, of its cell pointers or anywhere. */
static void by_pages(struct fuzz_bytes *out, struct fuzz_random *r)
{
    static const uint8_t bytes[] = {0, 1, 2, 5, 10, 13, 127, 128, 255};
    size_t size = (size_t)out->b[16] << 8 | out->b[17], pages = size >= SMALLEST ? out->n / size : 0;
    if (!pages) return;
    size_t page = fuzz_pick(r, pages) * size, other = fuzz_pick(r, pages) * size, start = page ? page : 100;
    switch (fuzz_pick(r, 6)) {
    case 0: out->b[fuzz_pick(r, 100)] = SOME(bytes); break;
    case 1: out->b[start + fuzz_pick(r, 12)] = SOME(bytes); break;
    case 2: out->b[start + 8 + fuzz_pick(r, 16)] = SOME(bytes); break;
    case 3: memmove(out->b + page, out->b + other, size); break;
    case 4: out->n -= size; break;
    default: out->b[page + fuzz_pick(r, size)] = fuzz_pick(r, 2) ? SOME(bytes) : (uint8_t)fuzz_pick(r, 256);
    }
}

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    if (n < SMALLEST || fuzz_pick(r, 2)) {
        by_sql(data, n, out, r);
        return;
    }
    fuzz_put(out, data, n);
    for (size_t k = 1 + fuzz_pick(r, 3); k; k--) by_pages(out, r);
}

FUZZ_MUTATOR(mutate)
#endif
