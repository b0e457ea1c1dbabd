#' tamis as a model of caret
#'
#' A list for the argument `method` of `caret::train()`: the selection is repeated in every resample, so that the errors that
#' caret reports include it. `max_inputs` can be tuned where the method takes it.
#' @param method name of a method of tamis.
#' @param ... further options of [tamis()].
#' @return A list as `caret::getModelInfo()` gives.
#' @examples
#' if (requireNamespace("caret", quietly = TRUE)) {
#'   set.seed(1)
#'   fit <- caret::train(mtcars[-1], mtcars$mpg, method = tamis_caret("search"),
#'                       trControl = caret::trainControl("cv", 3))
#'   caret::predictors(fit)
#' }
#' @export
tamis_caret <- function(method = "auto", ...) {
  options <- list(...)
  run <- function(x, y, wts, param, lev, last, weights, classProbs, ...) {
    limit <- if (param$max_inputs < ncol(x)) param$max_inputs
    do.call(tamis, c(list(x, y, method = method, weights = wts, max_inputs = limit, quiet = TRUE, progress = FALSE),
                     options))
  }
  list(label = "tamis", library = "tamis", type = c("Regression", "Classification"),
       parameters = data.frame(parameter = "max_inputs", class = "numeric", label = "largest number of inputs"),
       grid = caret_grid, fit = run,
       predict = function(modelFit, newdata, submodels = NULL) caret_predict(modelFit, newdata),
       prob = function(modelFit, newdata, submodels = NULL) caret_prob(modelFit, newdata),
       predictors = function(x, ...) selected(x), levels = function(x) x$obsLevels,
       varImp = function(object, ...) caret_importance(object),
       tags = c("Feature Selection"), sort = function(x) x[order(x$max_inputs), , drop = FALSE])
}

caret_grid <- function(x, y, len = NULL, search = "grid") {
  sizes <- unique(round(seq(ncol(x), 1, length.out = max(1L, len))))
  data.frame(max_inputs = if (search == "random") sample.int(ncol(x), max(1L, len), replace = TRUE) else sizes)
}

# Where no input helps there is no model: the mean, or the majority class.
caret_predict <- function(fit, newdata) {
  if (!is.null(fit$model)) return(predict(fit, newdata))
  y <- fit$targets[[1L]]
  rep(if (is.numeric(y)) mean(y) else names(which.max(table(y))), nrow(newdata))
}

caret_prob <- function(fit, newdata) {
  if (!is.null(fit$model)) return(as.data.frame(predict(fit, newdata, type = "prob"), optional = TRUE))
  share <- prop.table(table(factor(fit$targets[[1L]], fit$classes)))
  as.data.frame(matrix(share, nrow(newdata), length(share), byrow = TRUE, dimnames = list(NULL, names(share))))
}

caret_importance <- function(fit) {
  inputs <- as.data.frame(fit)
  data.frame(Overall = ifelse(inputs$selected & !is.na(inputs$importance), inputs$importance, 0), row.names = inputs$name)
}
