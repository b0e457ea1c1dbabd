# Ctrl-C ends what would take hours, wherever it comes reaches R, and leaves R as it was.
if (!at_home() && Sys.getenv("TAMIS_PROGRAM") == "") exit_file("sends a signal to this process")
interrupt_soon <- function(expression, delay = 1) {
  system(sprintf("(sleep %g; kill -INT %d) >/dev/null 2>&1 &", delay, Sys.getpid()))
  tryCatch(expression, interrupt = function(condition) "interrupted")
}
long <- function() tamis(Species ~ ., iris, method = "rjmcmc", samples = 3e6, quiet = TRUE, seed = 1)
expect_equal(interrupt_soon(long()), "interrupted")
expect_equal(interrupt_soon(tamis_compare(Species ~ ., iris, methods = "rjmcmc", samples = 3e6, seed = 1, quiet = TRUE)),
             "interrupted")
expect_true(length(selected(tamis(mpg ~ wt + hp, mtcars, method = "lars", quiet = TRUE))) > 0L)

# Whether it comes before, during or after a call: after the calls, R waits for those that are late.
fit <- tamis(Species ~ ., iris, method = "lssvm", sigma2 = 10, gamma = 10, folds = 3, quiet = TRUE, seed = 1)
table <- iris[rep(1:150, 400), ]
csv <- tempfile(fileext = ".csv")
write.csv(table, csv, row.names = FALSE)
calls <- list(
  predict = function() predict(fit, table), read = function() tamis_read(csv), describe = function() tamis_describe(table),
  generate = function() tamis_generate("add10", rows = 2e4), clean = function() tamis_clean(table),
  select = function() tamis(Species ~ ., iris, method = "search", criterion = "knn", quiet = TRUE),
  compare = function() tamis_compare(mpg ~ ., mtcars, methods = "lars", quiet = TRUE))
delays <- if (Sys.getenv("TAMIS_LONG") == "") 0.15 else c(0.02, 0.05, 0.1, 0.11, 0.12, 0.15, 0.2, 0.21, 0.22, 0.3, 0.4, 0.6)
for (name in names(calls)) for (delay in delays)
  expect_equal(interrupt_soon({
    calls[[name]]()
    Sys.sleep(60)
    "not interrupted"
  }, delay), "interrupted", info = paste(name, delay))
expect_equal(dim(predict(fit, iris, "prob")), c(150L, 3L))
