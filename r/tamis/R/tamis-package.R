#' tamis: select inputs with small nonlinear models
#'
#' [tamis()] takes a table and a target, and finds which inputs matter, how certain that is, and the smallest accurate
#' nonlinear model that uses only them. [tamis_methods()] lists the methods and [tamis_options()] their options.
#'
#' Errors are conditions of class `tamis_error`, and of one class that says of what kind: `tamis_usage_error` (an option
#' or argument is wrong), `tamis_data_error` (the data or the model file is wrong), `tamis_numeric_error` (a computation
#' failed), `tamis_memory_error` and `tamis_system_error`. Remarks on a run are messages of class `tamis_note`.
#' @useDynLib tamis, .registration = TRUE
#' @importFrom stats coef fitted predict residuals
#' @name tamis-package
#' @docType package
#' @keywords internal
NULL
