#' Predictions of a model
#'
#' @param object a fit of [tamis()], or a model that [load_tamis()] read.
#' @param newdata a data frame with the inputs of the model, or a matrix with their names; for a model of [load_tamis()],
#'   the columns as the model knows them (a fit of `y ~ log(a)` has a column `log(a)`). Without it, the rows of the fit are
#'   predicted.
#' @param type `"response"`: numbers, or the most probable class; `"class"`: the class; `"prob"`: the probabilities of all
#'   classes, calibrated on held-out rows; `"interval"`: numbers with the ends of an interval that holds a new value with
#'   probability `level`, from residuals of held-out rows.
#' @param level the probability of intervals.
#' @param ... not used.
#' @return A vector, or a matrix if there are several targets, for `"response"`; a factor (truth values if the target had
#'   them) for classes; a matrix with one column per level of the target, in their order, for `"prob"`; a matrix with the
#'   columns `fit`, `lwr` and `upr` for `"interval"`. `NA` where an input is missing and the model does not impute.
#' @examples
#' fit <- tamis(dist ~ speed, cars, method = "lssvm", seed = 1, quiet = TRUE)
#' predict(fit, data.frame(speed = c(10, 20)), type = "interval", level = 0.8)
#' @export
predict.tamis <- function(object, newdata = NULL, type = c("response", "class", "prob", "interval"), level = 0.9, ...) {
  type <- match.arg(type)
  check_model(object)
  if (!is.null(newdata)) return(predict_frame(object, new_frame(object, newdata), type, level))
  check_type(type, is.null(object$prob), level)
  switch(type, prob = stats::napredict(object$na.action, object$prob), interval = fitted_intervals(object, level),
         fitted(object))
}

# Intervals are as wide for one row as for another, so that the rows of the fit are not needed.
fitted_intervals <- function(object, level) {
  about <- take(.Call(C_describe_model, object$model))
  width <- take(.Call(C_predict, object$model, NULL, as.double(level), list()))
  fitted <- as.matrix(fitted(object))
  intervals(list(prediction = unname(fitted), lower = width$lower, upper = width$upper, about = about,
                 rows = rownames(fitted)))
}

#' @rdname predict.tamis
#' @export
predict.tamis_model <- function(object, newdata, type = c("response", "class", "prob", "interval"), level = 0.9, ...) {
  predict_frame(object, input_frame(newdata), match.arg(type), level)
}

# The columns that the model reads; others may be absent from newdata.
new_frame <- function(object, newdata) {
  if (is.null(object$terms)) return(known_levels(input_frame(newdata), object$ordered))
  if (!is.data.frame(newdata)) newdata <- input_frame(newdata)
  needed <- needed_terms(stats::delete.response(object$terms), model_columns(object))
  known_levels(flat_frame(stats::model.frame(needed, newdata, na.action = stats::na.pass)), object$ordered)
}

# An ordered factor is the number of its level, and has to be of the same levels as in the fit.
known_levels <- function(frame, ordered) {
  for (name in intersect(names(ordered), names(frame))) {
    x <- frame[[name]]
    if (is.numeric(x)) next
    unknown <- setdiff(stats::na.omit(as.character(x)), ordered[[name]])
    if (length(unknown))
      tamis_stop(sprintf("ordered factor '%s' has the level '%s', which the fit does not know", name, unknown[1L]),
                 "tamis_data_error")
    frame[[name]] <- factor(as.character(x), levels = ordered[[name]], ordered = TRUE)
  }
  frame
}

# Columns of the table behind the inputs of a model: x[t-3] is a lag of x, when.month a part of when.
model_columns <- function(object) {
  inputs <- take(.Call(C_describe_model, object$model))$inputs
  unique(c(inputs, sub("\\[t(-[0-9]+)?\\]$", "", inputs), sub("\\.(year|month|weekday|hour)$", "", inputs)))
}

# The terms of these columns without the variables that only others need, as in y ~ . - a.
needed_terms <- function(terms, columns) {
  labels <- attr(terms, "term.labels")
  plain <- gsub("^`|`$", "", labels)
  used <- plain %in% columns | vapply(plain, function(label) any(startsWith(columns, paste0(label, "."))), NA)
  needed <- stats::terms(stats::reformulate(if (any(used)) labels[used] else labels, env = environment(terms)))
  variables <- function(terms) vapply(as.list(attr(terms, "variables"))[-1L], deparse1, "")
  at <- match(variables(needed), variables(terms))
  if (!is.null(attr(terms, "predvars"))) attr(needed, "predvars") <- attr(terms, "predvars")[c(1L, 1L + at)]
  needed
}

predict_frame <- function(object, frame, type = "response", level = 0.9) {
  predict_shape(object, predict_rows(object, frame, type, level), type)
}

check_type <- function(type, numeric, level) {
  if (type %in% c("class", "prob") && numeric)
    tamis_stop(sprintf("type \"%s\" is for classes, but the model predicts numbers", type))
  if (type == "interval" && !numeric) tamis_stop("type \"interval\" is for numbers, not for classes")
  if (type == "interval" && !(is.numeric(level) && length(level) == 1L && !is.na(level) && level > 0 && level < 1))
    tamis_stop("level has to be a number between 0 and 1, such as 0.9")
}

# What the library says about the rows of a table, and the names of these rows.
predict_rows <- function(object, frame, type = "response", level = 0.9) {
  about <- take(.Call(C_describe_model, object$model))
  check_type(type, is.null(about$classes), level)
  columns <- if (nrow(frame)) table_columns(frame)
  got <- take(.Call(C_predict, object$model, columns, if (type == "interval") as.double(level) else NA_real_, list()))
  c(got, list(about = about, rows = row_names(frame)))
}

predict_shape <- function(object, got, type = "response") {
  about <- got$about
  got$score[is.nan(got$score)] <- NA
  switch(type, prob = probabilities(got$score, about$classes, object$classes, got$rows), interval = intervals(got),
         if (is.null(about$classes)) numbers(got$prediction, got$rows, about$targets)
         else class_values(got$prediction, about$classes, object$classes, got$rows))
}

# Names of rows where the user gave some.
row_names <- function(frame) if (is.character(attr(frame, "row.names"))) row.names(frame)

numbers <- function(x, rows, targets) {
  x[is.nan(x)] <- NA
  if (ncol(x) > 1L) structure(x, dimnames = list(rows, targets)) else structure(x[, 1L], names = rows)
}

# One column per level of the target, in their order; a level that no row of the fit had has probability 0.
probabilities <- function(score, classes, levels, rows) {
  if (is.null(levels)) levels <- classes
  at <- match(levels, classes)
  all <- score[, at, drop = FALSE]
  all[, is.na(at)] <- 0 * score[, 1L]
  structure(all, dimnames = list(rows, levels))
}

class_values <- function(index, classes, levels, rows) {
  label <- classes[index[, 1L] + 1L]
  if (is.logical(levels)) return(structure(as.logical(label), names = rows))
  structure(factor(label, levels = if (is.null(levels)) classes else levels), names = rows)
}

intervals <- function(got) {
  rows <- got$rows
  targets <- got$about$targets
  got$prediction[is.nan(got$prediction)] <- NA
  each <- lapply(seq_along(targets), function(k) {
    fit <- got$prediction[, k]
    structure(cbind(fit, fit + got$lower[k], fit + got$upper[k]), dimnames = list(rows, c("fit", "lwr", "upr")))
  })
  if (length(each) == 1L) each[[1L]] else structure(each, names = targets)
}
