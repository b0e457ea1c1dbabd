#' The selected inputs
#'
#' `selected()` gives the names of the selected inputs, the most relevant first. `coef()` gives a number for each of them:
#' how much the error on rows not seen grows when the input is permuted, or the method's own relevance.
#' @param object a fit of [tamis()], or for `selected()` a model of [load_tamis()].
#' @param type `"importance"` or `"relevance"`.
#' @param ... not used.
#' @return `selected()`: a character vector, empty if no input helps. `coef()`: a named vector.
#' @examples
#' fit <- tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE)
#' selected(fit)
#' coef(fit)
#' @export
selected <- function(object, ...) UseMethod("selected")
#' @export
selected.tamis <- function(object, ...) as.character(unlist(object$result$selected))
#' @export
selected.tamis_model <- function(object, ...) object$inputs

#' @rdname selected
#' @export
coef.tamis <- function(object, type = c("importance", "relevance"), ...) {
  inputs <- as.data.frame(object)
  at <- match(selected(object), inputs$name)
  structure(inputs[[match.arg(type)]][at], names = inputs$name[at])
}

#' Fitted values and residuals
#'
#' Of all rows of the table, those of a hold-out included, and `NA` where an input is missing; for errors on rows not seen,
#' see `summary()`.
#' @param object a fit of [tamis()].
#' @param ... not used.
#' @return `fitted()`: as [predict()]. `residuals()`: the target less the fitted values; for classes, whether the fitted
#'   class is wrong.
#' @examples
#' fit <- tamis(dist ~ speed, cars, method = "lssvm", seed = 1, quiet = TRUE)
#' plot(fitted(fit), residuals(fit))
#' @export
fitted.tamis <- function(object, ...) stats::napredict(object$na.action, object$fitted)

#' @rdname fitted.tamis
#' @export
residuals.tamis <- function(object, ...) {
  fitted <- object$fitted
  if (is.null(fitted)) return(NULL)
  y <- if (is.matrix(fitted)) as.matrix(as.data.frame(object$targets, optional = TRUE)) else object$targets[[1L]]
  classes <- object$result$data$task == "classification"
  stats::naresid(object$na.action, if (classes) as.character(y) != as.character(fitted) else y - fitted)
}

#' @importFrom stats formula
#' @export
formula.tamis <- function(x, ...) {
  if (is.null(x$terms)) tamis_stop("the fit was made from x and y, without a formula")
  stats::formula(x$terms)
}

# One field of a list of records, NA where it is absent.
field <- function(records, name, missing = NA_real_) {
  vapply(records, function(record) if (is.null(record[[name]])) missing else record[[name]], missing)
}

#' The result as a data frame
#'
#' @param x a fit of [tamis()], or a comparison of [tamis_compare()].
#' @param row.names,optional not used.
#' @param what `"inputs"`: one row per candidate input; `"path"`: one row per step of the search; `"methods"` and `"better"`
#'   of a comparison: one row per method, and per pair of methods.
#' @param ... not used.
#' @return A data frame.
#' @examples
#' fit <- tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE)
#' as.data.frame(fit)
#' as.data.frame(fit, what = "path")
#' @export
as.data.frame.tamis <- function(x, row.names = NULL, optional = FALSE, ..., what = c("inputs", "path")) {
  what <- match.arg(what)
  if (what == "inputs") inputs_frame(x$result) else path_frame(x$result)
}

inputs_frame <- function(result) {
  inputs <- result$inputs
  frame <- data.frame(name = field(inputs, "name", ""), selected = field(inputs, "selected", NA),
                      rank = field(inputs, "rank"), relevance = field(inputs, "relevance"),
                      importance = field(inputs, "importance"), importance_se = field(inputs, "importance_se"))
  frequency <- field(inputs, "frequency")
  if (!all(is.na(frequency))) frame$frequency <- frequency
  frame
}

path_frame <- function(result) {
  path <- result$path
  frame <- data.frame(step = seq_along(path) - 1, size = field(path, "size"), changed = field(path, "changed", ""),
                      criterion = field(path, "criterion"))
  frame$changed[frame$changed == ""] <- NA
  frame$chosen <- if (is.null(result$chosen_step)) rep(FALSE, nrow(frame)) else frame$step == result$chosen_step
  parameters <- unique(unlist(lapply(path, function(step) names(step$parameters))))
  for (name in parameters) frame[[name]] <- field(lapply(path, function(step) Filter(is.numeric, step$parameters)), name)
  frame
}

number_text <- function(x, digits) {
  if (is.null(x) || is.na(x)) "-" else format(x, digits = digits)
}

# "0.118 (standard error 0.019)"
error_text <- function(error, se = NULL, digits = 4L) {
  paste0(number_text(error, digits), if (!is.null(se) && !is.na(se)) sprintf(" (standard error %s)", number_text(se, 2L)))
}

# The errors of a result, named by where they were measured.
error_lines <- function(result, digits = 4L) {
  error <- result$error
  text <- function(name) error_text(error[[name]], error[[paste0(name, "_se")]], digits)
  lines <- structure(text("selected"), names = error$label)
  if (!is.null(error$nested)) lines <- c("nested validation" = text("nested"), lines)
  if (!is.null(error$test)) lines[sprintf("%.0f test rows", result$data$test_rows)] <- text("test")
  if (!is.null(error$all_inputs)) lines["with all inputs"] <- text("all_inputs")
  if (!is.null(error$baseline))
    lines[if (result$data$task == "regression") "predicting the mean" else "predicting the majority class"] <-
      text("baseline")
  lines
}

print_head <- function(x) {
  result <- x$result
  cat("\nCall:  ", paste(deparse(x$call), collapse = "\n"), "\n\n", sep = "")
  chosen <- selected(x)
  cat(sprintf("%s chose %d of %.0f inputs of %s (%s, %.0f rows)\n", result$method, length(chosen), result$data$inputs,
              result$data$target, result$data$task, result$data$rows))
  if (!is.null(result$picked)) cat("auto: ", r_words(result$picked), "\n", sep = "")
}

#' @export
print.tamis <- function(x, digits = 4L, ...) {
  print_head(x)
  chosen <- selected(x)
  if (!length(chosen)) {
    cat("No input helps.\n")
  } else {
    cat(strwrap(paste(utils::head(chosen, 40L), collapse = ", "), indent = 2, exdent = 2), sep = "\n")
    if (length(chosen) > 40L) cat(sprintf("  and %d more\n", length(chosen) - 40L))
  }
  lines <- error_lines(x$result, digits)
  cat(sprintf("\n%s: %s\n(%s)\n", names(lines)[1L], lines[1L], x$result$error$units))
  invisible(x)
}

#' Summary of a selection
#'
#' @param object a fit of [tamis()].
#' @param x the summary.
#' @param digits significant digits.
#' @param ... not used.
#' @return A list of class `summary.tamis`: `inputs`, a data frame of the selected inputs, the most important first;
#'   `errors`; `fit`.
#' @examples
#' summary(tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE))
#' @export
summary.tamis <- function(object, ...) {
  inputs <- as.data.frame(object)
  inputs <- inputs[match(selected(object), inputs$name), names(inputs) != "selected"]
  inputs <- inputs[order(-inputs$importance, seq_len(nrow(inputs))), ]
  row.names(inputs) <- NULL
  structure(class = "summary.tamis", list(inputs = inputs, errors = error_lines(object$result), fit = object))
}

#' @rdname summary.tamis
#' @export
print.summary.tamis <- function(x, digits = 4L, ...) {
  print_head(x$fit)
  cat("\n")
  if (nrow(x$inputs)) print(x$inputs, digits = digits, row.names = FALSE) else cat("No input helps.\n")
  unused <- setdiff(as.data.frame(x$fit)$name, x$inputs$name)
  if (length(unused))
    cat(strwrap(paste("not selected:", paste(utils::head(unused, 30L), collapse = ", "),
                      if (length(unused) > 30L) sprintf("and %d more", length(unused) - 30L)), exdent = 2), sep = "\n")
  cat("\nErrors (", x$fit$result$error$units, "):\n", sep = "")
  cat(sprintf("  %-34s %s\n", names(x$errors), x$errors), sep = "")
  model <- x$fit$result$model
  if (!is.null(model)) cat("\nModel: ", model$kind, "\n", sep = "")
  invisible(x)
}
