#' Predictions of a model
#'
#' @param object a fit of [tamis()], or a model that [load_tamis()] read.
#' @param newdata a data frame with the inputs of the model, or a matrix with their names. Without it, the rows of the fit
#'   are predicted.
#' @param type `"response"`: numbers, or the most probable class; `"class"`: the class; `"prob"`: the probabilities of all
#'   classes, calibrated on held-out rows; `"interval"`: numbers with the ends of an interval that holds a new value with
#'   probability `level`, from residuals of held-out rows.
#' @param level the probability of intervals.
#' @param ... not used.
#' @return A vector, or a matrix if there are several targets, for `"response"`; a factor (truth values if the target had
#'   them) for classes; a matrix with one column per class for `"prob"`; a matrix with the columns `fit`, `lwr` and `upr` for
#'   `"interval"`. `NA` where an input is missing and the model does not impute.
#' @examples
#' fit <- tamis(dist ~ speed, cars, method = "lssvm", seed = 1, quiet = TRUE)
#' predict(fit, data.frame(speed = c(10, 20)), type = "interval", level = 0.8)
#' @export
predict.tamis <- function(object, newdata = NULL, type = c("response", "class", "prob", "interval"), level = 0.9, ...) {
  type <- match.arg(type)
  if (is.null(object$model)) tamis_stop("there is no model, since no input was selected", "tamis_data_error")
  if (is.null(newdata) && type == "response") return(object$fitted)
  frame <- if (is.null(newdata)) tamis_stop("newdata is needed for this type of prediction") else new_frame(object, newdata)
  predict_frame(object, frame, type, level)
}

#' @rdname predict.tamis
#' @export
predict.tamis_model <- function(object, newdata, type = c("response", "class", "prob", "interval"), level = 0.9, ...) {
  predict_frame(object, input_frame(newdata), match.arg(type), level)
}

# The columns that the model reads; others may be absent from newdata.
new_frame <- function(object, newdata) {
  if (is.null(object$terms)) return(input_frame(newdata))
  terms <- stats::delete.response(object$terms)
  needed <- needed_terms(terms, model_columns(object))
  flat_frame(stats::model.frame(needed, newdata, na.action = stats::na.pass))
}

# Columns of the table behind the inputs of a model: x[t-3] is a lag of x, when.month a part of when.
model_columns <- function(object) {
  inputs <- take(.Call(C_describe_model, object$model))$inputs
  unique(c(inputs, sub("\\[t(-[0-9]+)?\\]$", "", inputs), sub("\\.(year|month|weekday|hour)$", "", inputs)))
}

needed_terms <- function(terms, columns) {
  labels <- attr(terms, "term.labels")
  plain <- gsub("^`|`$", "", labels)
  used <- plain %in% columns | vapply(plain, function(label) any(startsWith(columns, paste0(label, "."))), NA)
  if (!any(used) || all(used)) return(terms)
  stats::drop.terms(terms, which(!used))
}

predict_frame <- function(object, frame, type = "response", level = 0.9) {
  about <- take(.Call(C_describe_model, object$model))
  if (type %in% c("class", "prob") && is.null(about$classes))
    tamis_stop(sprintf("type \"%s\" is for classes, but the model predicts numbers", type))
  if (type == "interval" && !is.null(about$classes)) tamis_stop("type \"interval\" is for numbers, not for classes")
  columns <- table_columns(frame)
  got <- take(.Call(C_predict, object$model, columns, if (type == "interval") as.double(level) else NA_real_, list()))
  rows <- if (is.null(attr(frame, "row.names"))) NULL else row_names(frame)
  switch(type, prob = structure(got$score, dimnames = list(rows, about$classes)),
         interval = intervals(got, rows, about$targets),
         if (is.null(about$classes)) numbers(got$prediction, rows, about$targets)
         else class_values(got$prediction, about$classes, object$classes, rows))
}

# Names of rows where the user gave some.
row_names <- function(frame) if (is.character(attr(frame, "row.names"))) row.names(frame)

numbers <- function(x, rows, targets) {
  x[is.nan(x)] <- NA
  if (ncol(x) > 1L) structure(x, dimnames = list(rows, targets)) else structure(x[, 1L], names = rows)
}

class_values <- function(index, classes, levels, rows) {
  label <- classes[index[, 1L] + 1L]
  if (is.logical(levels)) return(structure(as.logical(label), names = rows))
  structure(factor(label, levels = if (is.null(levels)) classes else levels), names = rows)
}

intervals <- function(got, rows, targets) {
  got$prediction[is.nan(got$prediction)] <- NA
  each <- lapply(seq_along(targets), function(k) {
    fit <- got$prediction[, k]
    structure(cbind(fit, fit + got$lower[k], fit + got$upper[k]), dimnames = list(rows, c("fit", "lwr", "upr")))
  })
  if (length(each) == 1L) each[[1L]] else structure(each, names = targets)
}
