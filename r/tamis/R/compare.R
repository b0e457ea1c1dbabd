#' Compare methods on the same outer folds
#'
#' Runs several methods with nested validation: each is repeated without every one of the outer folds, and its error
#' measured on that fold.
#' @inheritParams tamis
#' @param formula the target and the inputs, as for [tamis()]; or the inputs, with `y`.
#' @param data a data frame.
#' @param y the target, if the first argument is not a formula.
#' @param methods names of methods; by default all that suit the task.
#' @param outer number of outer folds.
#' @param repeats how many times the folds are drawn.
#' @param x a comparison.
#' @param digits significant digits.
#' @return An object of class `tamis_comparison`; [as.data.frame()] gives one row per method, or with `what = "better"` one
#'   row per pair with a p-value.
#' @examples
#' set.seed(1)
#' add10 <- tamis_generate("add10", rows = 100)
#' tamis_compare(y ~ ., add10, methods = c("lars", "search"), outer = 3)
#' @export
tamis_compare <- function(formula, data, ..., y, methods = NULL, outer = 5, repeats = 1, weights = NULL, groups = NULL,
                          subset, na.action, threads = 1, seed = NULL, progress = interactive(), quiet = FALSE) {
  call <- match.call()
  frame <- if (inherits(formula, "formula")) formula_frame(call, parent.frame(), quiet)
           else xy_frame(formula, y, weights, groups)
  options <- run_options(frame, list(methods = if (!is.null(methods)) I(methods), outer = outer, repeats = repeats,
                                     threads = threads, seed = seed, ...))
  name <- data_name(if (inherits(formula, "formula")) call$data else call$formula)
  value <- take(.Call(C_compare, run_table(frame), name, options, isTRUE(progress)), quiet)
  structure(class = "tamis_comparison", list(call = call, result = value$result, json = value$json))
}

#' @rdname as.data.frame.tamis
#' @export
as.data.frame.tamis_comparison <- function(x, row.names = NULL, optional = FALSE, ..., what = c("methods", "better")) {
  if (match.arg(what) == "better") {
    pairs <- x$result$better
    return(data.frame(a = field(pairs, "a", ""), b = field(pairs, "b", ""), difference = field(pairs, "difference"),
                      p = field(pairs, "p"), p_adjusted = field(pairs, "p_adjusted")))
  }
  methods <- Filter(function(method) is.list(method$error), x$result$methods)
  error <- lapply(methods, `[[`, "error")
  inputs <- lapply(methods, `[[`, "inputs")
  data.frame(method = field(methods, "method", ""), error = field(error, "mean"), sd = field(error, "sd"),
             inputs = field(inputs, "mean"), stability = field(methods, "stability"), seconds = field(methods, "seconds"))
}

#' @rdname tamis_compare
#' @export
print.tamis_comparison <- function(x, digits = 4L, ...) {
  outer <- x$result$outer
  cat(sprintf("%s: %.0f rows, %.0f inputs, target %s; %.0f outer folds%s\n\n", x$result$data$file, x$result$data$rows,
              x$result$data$inputs, x$result$data$target, outer$folds,
              if (outer$repeats > 1) sprintf(", drawn %.0f times", outer$repeats) else ""))
  print(as.data.frame(x), digits = digits, row.names = FALSE)
  cat("(", x$result$units, ")\n", sep = "")
  pairs <- as.data.frame(x, what = "better")
  clear <- pairs[!is.na(pairs$p_adjusted) & pairs$p_adjusted < 0.05, ]
  for (i in seq_len(nrow(clear)))
    cat(sprintf("%s is better than %s (p = %s, adjusted)\n", clear$a[i], clear$b[i], format(clear$p_adjusted[i], digits = 2)))
  invisible(x)
}
