# Wrong arguments are errors with a class and a sentence, also at the entry points of the C code: a fit can be edited, or
# restored from a file that is not what it seems.
entry <- function(name) get(paste0("C_", name), asNamespace("tamis"))
wrong <- list(NULL, list(), NA, 3, c(1, 2), "x", c("x", "y"), character(), NA_character_, raw(3), 1i, quote(x), mean,
              list(a = 1:2), list(a = "x"), list(a = c(1, 2), b = 1), list(1), factor("x"))
entries <- c("select", "compare", "predict", "describe_model", "load", "save", "export", "report", "parse", "generate",
             "read", "clean", "describe", "numbers")
for (name in entries) {
  routine <- entry(name)
  for (value in wrong) {
    answer <- do.call(.Call, c(list(routine), rep(list(value), routine$numParameters)), quote = TRUE)
    if (name == "numbers") expect_true(is.null(answer) || is.double(answer), info = name)
    else expect_true(answer$status != 0L && nzchar(answer$sentence), info = paste(name, deparse(value)))
  }
}

# one argument wrong, the others right
good <- list(x = c(1, 5, 2, 8, 3, 9), y = c(2, 6, 3, 9, 4, 10))
options <- list(target = I("y"), method = "lars")
select <- function(data = good, test = NULL, name = "d", options. = options)
  .Call(entry("select"), data, test, name, options., FALSE)
expect_equal(select()$status, 0L)
sentence <- function(answer) {
  expect_true(answer$status != 0L)
  answer$sentence
}
expect_match <- function(text, pattern) expect_true(grepl(pattern, text), info = text)
expect_match(sentence(select(c(good, list(z = c(1, 2))))), "'z' has 2 values, but the first column has 6")
expect_match(sentence(select(c(list(z = 1), good))), "'x' has 6 values, but the first column has 1")
expect_match(sentence(select(test = list(x = c(1, 2), y = 1))), "'y' has 1 values")
expect_match(sentence(select(c(good, list(z = 1:6)))), "'z' is neither numbers nor a factor")
expect_match(sentence(select(c(good, list(z = NULL)))), "'z' is neither")
expect_match(sentence(select(unname(good))), "columns need names")
expect_match(sentence(select(structure(good, names = c("x", NA)))), "columns need names")
codes <- function(x, levels) structure(x, levels = levels, class = "factor")
for (x in list(codes(c(1:5, 7L), letters[1:6]), codes(c(1:5, 0L), letters[1:6]), codes(c(1:5, -3L), letters[1:6])))
  expect_match(sentence(select(c(good, list(z = x)))), "values that are none of its levels")
expect_match(sentence(select(c(good, list(z = codes(1:6, NULL))))), "levels of the factor")
expect_match(sentence(select(c(good, list(z = codes(1:6, c("a", NA)))))), "levels of the factor")
bytes <- "caf\xe9"
Encoding(bytes) <- "bytes"
expect_match(sentence(select(c(good, list(z = codes(c(1L, 1L, 1L, 1L, 1L, NA), bytes))))), "known encoding")
expect_match(sentence(select(structure(good, names = c("x", bytes)))), "known encoding")
expect_match(sentence(select(name = bytes)), "name of the table")
expect_match(sentence(select(name = NULL)), "name of the table")
for (value in list(NULL, NA, c(1, 2), NaN, numeric(), list(1), 1i, NA_character_))
  expect_match(sentence(select(options. = c(options, list(folds = value)))), "folds")
expect_match(sentence(select(options. = list("lars"))), "options need names")
fit <- tamis(dist ~ speed, cars, method = "lars", quiet = TRUE)
newdata <- list(speed = c(10, 20))
expect_equal(dim(.Call(entry("predict"), fit$model, newdata, NA_real_, list())$value$prediction), c(2L, 1L))
for (level in list(NULL, NA, "x", list()))
  expect_equal(.Call(entry("predict"), fit$model, newdata, level, list())$status, 0L)
for (level in list(0, 1, 2, -1, Inf))
  expect_true(.Call(entry("predict"), fit$model, newdata, level, list())$status != 0L)

# the same at the functions that users call
expect_error(tamis_clean(list(a = c(1, 2, NA), b = 1)), "data frame", class = "tamis_data_error")
expect_error(tamis_clean(3), "data frame", class = "tamis_data_error")
expect_error(tamis_generate(NA_character_), "one text", class = "tamis_usage_error")
expect_error(tamis_generate(c("add10", "linear")), "one text", class = "tamis_usage_error")
expect_error(tamis_report(fit, figure = 3), "figure", class = "tamis_usage_error")
expect_error(tamis_report(fit, figure = character()), "figure", class = "tamis_usage_error")
edited <- function(...) structure(utils::modifyList(unclass(fit), list(...)), class = "tamis")
expect_error(tamis_report(edited(json = NA_character_)), "json", class = "tamis_usage_error")
expect_error(predict(edited(model = 1:3), cars), "raw vector", class = "tamis_data_error")
expect_error(predict(edited(model = raw(10)), cars), class = "tamis_data_error")
expect_error(predict(edited(model = utils::head(fit$model, -20)), cars), class = "tamis_data_error")
expect_error(save_tamis(edited(model = "x"), tempfile()), "raw vector", class = "tamis_data_error")
