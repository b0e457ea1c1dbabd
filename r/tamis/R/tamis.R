#' Select the inputs that matter
#'
#' Finds the inputs that matter for a target and fits the smallest accurate model that uses only them.
#'
#' Inputs may be numbers, truth values, factors (a factor is selected or left as a whole), ordered factors (taken as the
#' numbers of their levels), texts (taken as factors) and dates. A target that is a factor, a text or a truth value calls
#' for classification, a number for regression. Columns that identify rows or hold dates are not inputs, and a message
#' says so, unless they are named: in the formula, or by `keep`; `dates = "numeric"` or `"parts"` makes inputs of all
#' dates. A target that is a date, a time or a difference of time is a number, as in [lm()]. Empty texts and the texts `NA`,
#' `NaN` and `?` are missing, as on the command line. Rows with missing values are left out, with a message, or filled in with `impute = "median"` or `"knn"`.
#'
#' Everything random follows from `seed`, which is drawn from R's generator unless it is given: [set.seed()] makes a run
#' repeatable. The number of threads changes nothing but the time.
#'
#' A run can be interrupted at any time. With `checkpoint = "file"` the finished steps are kept, and the same call goes on
#' from there.
#' @param formula the target and the inputs: `y ~ .`, `y ~ a + b`, `log(y) ~ . - c`; `cbind(y1, y2) ~ .` has several
#'   targets. Models find products of inputs themselves, so interactions are not allowed. The dot leaves out the columns
#'   that `weights` and `groups` name.
#' @param data a data frame.
#' @param x inputs: a data frame, a matrix, or a formula.
#' @param y the target: a vector, a factor, a matrix or data frame of several targets; or the name of a column of `x`.
#' @param method the name of a method; [tamis_methods()] lists them.
#' @param weights how much each row counts: a row of weight 2 counts as two rows, of weight 0 as none. In the formula
#'   interface, looked for in `data` first.
#' @param groups rows with the same value stay together in every fold and hold-out: a vector, looked for in `data` first.
#' @param subset rows to use, as in [lm()].
#' @param na.action what to do with rows that have missing values, as in [lm()]; by default they are passed on to the
#'   library, which leaves them out with a message, or fills in with `impute`.
#' @param test a data frame like `data` (or like `x`, with the target under its name) of rows that are used once, at the
#'   end, to measure the error.
#' @param threads how many threads to use; `"all"` for all cores.
#' @param seed seed of everything random.
#' @param progress whether to show a progress bar.
#' @param quiet whether to leave out the messages.
#' @param ... further options by name, with underscores or dots: `max_inputs = 5`, `outer = 5`, `holdout = 0.2`,
#'   `sigma2 = c(1, 500, 50)`; [tamis_options()] lists them. Passed on by methods of the generic function.
#' @return An object of class `tamis`: `result`, a list with everything that the run found (as the command line's JSON);
#'   `model`, the fitted model as a raw vector, or `NULL`; `call`, and what [predict()] needs. Use [selected()], [coef()],
#'   [predict()], [summary()], [plot()][plot.tamis], [as.data.frame()][as.data.frame.tamis], [update()],
#'   [tamis_report()] and [save_tamis()] on it.
#' @examples
#' set.seed(1)
#' add10 <- tamis_generate("add10", rows = 120)
#' fit <- tamis(y ~ ., add10, method = "search", criterion = "delta")
#' fit
#' selected(fit)
#'
#' iris_fit <- tamis(iris[1:4], iris$Species, method = "search", criterion = "knn")
#' predict(iris_fit, iris[c(1, 51, 101), ])
#' @export
tamis <- function(x, ...) UseMethod("tamis")

#' @rdname tamis
#' @export
tamis.formula <- function(formula, data, method = "auto", ..., weights, groups, subset, na.action, test = NULL,
                          threads = 1, seed = NULL, progress = interactive(), quiet = FALSE) {
  call <- match.call()
  call[[1L]] <- quote(tamis)
  frame <- formula_frame(call, parent.frame(), quiet)
  if (!is.null(test)) test <- test_frame(frame, stats::model.frame(frame$terms, test, na.action = stats::na.pass))
  tamis_fit(frame, call, test, data_name(call$data), list(method = method, threads = threads, seed = seed, ...), quiet,
            progress)
}

#' @rdname tamis
#' @export
tamis.default <- function(x, y, method = "auto", ..., weights = NULL, groups = NULL, test = NULL, threads = 1,
                          seed = NULL, progress = interactive(), quiet = FALSE) {
  call <- match.call()
  call[[1L]] <- quote(tamis)
  frame <- xy_frame(x, y, weights, groups)
  if (!is.null(test)) test <- test_frame(frame, input_frame(test))
  tamis_fit(frame, call, test, data_name(call$x), list(method = method, threads = threads, seed = seed, ...), quiet,
            progress)
}

data_name <- function(expression) {
  if (is.null(expression)) return("data")
  name <- deparse1(expression)
  if (nchar(name) > 60L || startsWith(name, "..")) "data" else name
}

xy_frame <- function(x, y, weights = NULL, groups = NULL) {
  if (missing(y)) tamis_stop("y, the target, is missing: tamis(x, y) or tamis(formula, data)")
  if (inherits(y, "formula")) tamis_stop("y is a formula, which comes first: tamis(formula, data)")
  inputs <- input_frame(x)
  if (is.character(y) && length(y) == 1L && nrow(inputs) != 1L) {
    if (!y %in% names(inputs)) tamis_stop(sprintf("x has no column '%s', the target", y), "tamis_data_error")
    targets <- inputs[y]
    inputs <- inputs[names(inputs) != y]
  } else {
    targets <- target_list(y, utils::tail(make.unique(c(names(inputs), "y")), 1L))
  }
  list(inputs = inputs, targets = targets, weights = weights, groups = groups)
}

# A vector is one target, a matrix or a data frame several.
target_list <- function(y, name) {
  if (length(dim(y)) != 2L) return(structure(list(y), names = name))
  if (inherits(y, "Surv")) tamis_stop("the target is a survival time, which is not supported", "tamis_data_error")
  if (is.null(colnames(y))) colnames(y) <- if (ncol(y) == 1L) name else paste0(name, seq_len(ncol(y)))
  as.data.frame(unclass(y), optional = TRUE)
}

# The model frame of a call of tamis.formula, split into what the library needs.
formula_frame <- function(call, envir, quiet = FALSE) {
  wanted <- match(c("formula", "data", "subset", "weights", "groups", "na.action"), names(call), 0L)
  frame <- call[c(1L, wanted)]
  formula <- eval(call$formula, envir)
  if (length(formula) != 3L) tamis_stop("the formula has no target: write target ~ inputs")
  frame$formula <- without_roles(formula, call)
  if (is.null(call$na.action)) frame$na.action <- quote(stats::na.pass)
  frame[[1L]] <- quote(stats::model.frame)
  frame <- eval(frame, envir)
  terms <- attr(frame, "terms")
  check_terms(terms, quiet)
  c(split_frame(frame, terms),
    list(weights = frame[["(weights)"]], groups = frame[["(groups)"]], terms = terms,
         na.action = attr(frame, "na.action"), named = setdiff(all.vars(formula[[3L]]), ".")))
}

# The dot does not stand for the columns that hold the weights and the groups, unless the formula names them.
without_roles <- function(formula, call) {
  roles <- Filter(is.name, list(call$weights, call$groups))
  roles <- roles[!as.character(roles) %in% all.vars(formula) & !startsWith(as.character(roles), "..")]
  dot <- Reduce(function(rest, role) call("-", rest, role), roles, quote(.))
  formula[[3L]] <- do.call(substitute, list(formula[[3L]], list(. = call("(", dot))))
  formula
}

check_terms <- function(terms, quiet) {
  if (any(attr(terms, "order") > 1L))
    tamis_stop("the formula has interactions; models find products of inputs themselves: write a + b")
  if (!is.null(attr(terms, "offset"))) tamis_stop("offsets are not supported; subtract the offset from the target")
  if (!length(attr(terms, "term.labels"))) tamis_stop("the formula has no inputs: write target ~ inputs")
  if (attr(terms, "intercept") == 0L && !quiet) tamis_note("all models have a constant; '- 1' in the formula is ignored")
}

# A term is named by its expression, with backticks where needed; its column in the frame has none.
split_frame <- function(frame, terms) {
  columns <- gsub("^`|`$", "", attr(terms, "term.labels"))
  list(inputs = flat_frame(frame[columns]), targets = target_list(frame[[1L]], names(frame)[1L]))
}

# Rows for testing, as the columns of the run.
test_frame <- function(frame, data) {
  if (!is.null(frame$terms)) return(split_frame(data, frame$terms))
  lacking <- setdiff(names(frame$targets), names(data))
  if (length(lacking)) tamis_stop(sprintf("test has no column '%s', the target", lacking[1L]), "tamis_data_error")
  list(inputs = data[names(frame$inputs)], targets = data[names(frame$targets)])
}

tamis_fit <- function(frame, call, test, name, given, quiet, progress) {
  options <- run_options(frame, given)
  ordered <- lapply(Filter(is.ordered, frame$inputs), levels)
  if (!is.null(test)) {
    test$inputs <- known_levels(test$inputs, ordered)
    test$targets <- Map(same_units, test$targets, frame$targets)
  }
  value <- take(.Call(C_select, run_table(frame), if (!is.null(test)) run_table(test), name, options,
                      isTRUE(progress)), quiet)
  fit <- structure(class = "tamis", list(
    call = call, result = value$result, json = value$json, model = value$model, terms = frame$terms,
    inputs = names(frame$inputs), targets = lapply(frame$targets, plain_target), classes = target_levels(frame$targets, value$result$data$task),
    ordered = ordered, na.action = frame$na.action))
  if (is.null(fit$model)) return(fit)
  got <- predict_rows(fit, frame$inputs)
  fit$fitted <- predict_shape(fit, got)
  fit$prob <- if (!is.null(got$about$classes)) predict_shape(fit, got, "prob")
  fit
}

# How predictions of classes look to the user: the levels of a factor, or truth values.
target_levels <- function(targets, task) {
  y <- targets[[1L]]
  if (is.logical(y)) return(c(FALSE, TRUE))
  if (task == "classification") levels(as.factor(y))
}
