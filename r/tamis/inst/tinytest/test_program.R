# The same inputs and errors as the command line, for every method. TAMIS_PROGRAM is the program and TAMIS_TABLES the
# folder of its tables; TAMIS_LONG: all tables, and TAMIS_DIGITS: the same digits (with the same BLAS kernels).
program <- Sys.getenv("TAMIS_PROGRAM")
tables <- Sys.getenv("TAMIS_TABLES")
if (program == "") exit_file("TAMIS_PROGRAM is not set")

grid <- list(sigma2 = "2:50:3", gamma = "1:100:3")
runs <- list(
  sift = list(learn_rows = 60, fit_rows = 60, splits = 2, rule_folds = 3), sisal = list(sigma2 = "2:50:3"),
  forward = list(criterion = "knn", max_inputs = 4), lssvm = grid, rrkrr = c(grid, max_basis = 30),
  fei = list(starts = 2, epochs = 10, folds = 3, sizes = 3), `sparse-rbf` = list(r = "20", t = "1", folds = 3, centers = 20),
  lars = list(), opelm = list(max_neurons = 30), search = list(criterion = "mi", max_inputs = 3),
  rjmcmc = list(samples = 100, burn_in = 50, chains = 2, temperatures = 2), knockoffs = list(fdr_draws = 3))
stopifnot(setequal(names(runs), setdiff(tamis_methods()$name, "auto")))

command <- function(file, method, options) {
  out <- tempfile(fileext = ".json")
  words <- if (length(options)) rbind(paste0("--", gsub("_", "-", names(options))), unlist(options))
  status <- system2(program, c("select", shQuote(file), "--method", method, "--threads", "1", "--quiet", words, "-o", out),
                    stdout = FALSE, stderr = FALSE)
  if (status == 0L) read_tamis(out)
}
numbers <- function(result) unlist(Filter(is.numeric, result$error))
# The largest relative difference of the errors.
apart <- function(a, b) max(abs(a - b) / pmax(abs(b), 1e-300), 0)

several <- if (Sys.getenv("TAMIS_LONG") == "") c("boston", "iris") else c("boston", "iris", "pima", "wine", "ionosphere")
task <- structure(tamis_methods()$task, names = tamis_methods()$name)
for (name in several) for (method in names(runs)) {
  file <- file.path(tables, paste0(name, ".csv"))
  regression <- name == "boston"
  if (!task[[method]] %in% c("both", if (regression) "regression" else "classification")) next
  data <- utils::read.csv(file, stringsAsFactors = TRUE, check.names = FALSE)
  target <- names(data)[ncol(data)]
  theirs <- command(file, method, runs[[method]])
  ours <- tryCatch(do.call(tamis, c(list(data, target, method = method, seed = 1, quiet = TRUE), runs[[method]])),
                   tamis_error = function(e) NULL)
  what <- paste(method, "on", name)
  expect_equal(is.null(ours), is.null(theirs), info = what)
  if (is.null(ours) || is.null(theirs)) next
  expect_equal(selected(ours), selected(theirs), info = what)
  distance <- apart(numbers(ours$result), numbers(theirs$result))
  expect_true(distance <= if (Sys.getenv("TAMIS_DIGITS") == "") 1e-8 else 0, info = sprintf("%s: %.3g apart", what, distance))
  if (Sys.getenv("TAMIS_VERBOSE") != "") message(sprintf("%-25s %.3g", what, distance))
}

# models go both ways
model <- tempfile(fileext = ".tamis")
file <- file.path(tables, "iris.csv")
flowers <- utils::read.csv(file, stringsAsFactors = TRUE)
system2(program, c("select", shQuote(file), "--method", "search", "--criterion", "knn", "--quiet", "--model", model),
        stdout = FALSE)
mine <- tamis(Species ~ ., flowers, method = "search", criterion = "knn", seed = 1, quiet = TRUE)
expect_equal(predict(load_tamis(model), flowers, "prob"), predict(mine, flowers, "prob"))
save_tamis(mine, model)
theirs <- system2(program, c("predict", model, shQuote(file)), stdout = TRUE)
expect_equal(utils::read.csv(text = theirs)[[1]], as.character(predict(mine, flowers)))
