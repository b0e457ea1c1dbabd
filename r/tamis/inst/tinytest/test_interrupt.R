# Ctrl-C ends a run that would take hours, and leaves R as it was.
if (!at_home() && Sys.getenv("TAMIS_PROGRAM") == "") exit_file("sends a signal to this process")
interrupt_soon <- function(expression) {
  system(sprintf("(sleep 1; kill -INT %d) >/dev/null 2>&1 &", Sys.getpid()))
  tryCatch(expression, interrupt = function(condition) "interrupted")
}
long <- function() tamis(Species ~ ., iris, method = "rjmcmc", samples = 3e6, quiet = TRUE, seed = 1)
expect_equal(interrupt_soon(long()), "interrupted")
expect_equal(interrupt_soon(tamis_compare(Species ~ ., iris, methods = "rjmcmc", samples = 3e6, seed = 1, quiet = TRUE)),
             "interrupted")
expect_true(length(selected(tamis(mpg ~ wt + hp, mtcars, method = "lars", quiet = TRUE))) > 0L)
