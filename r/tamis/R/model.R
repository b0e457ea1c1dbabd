#' Model files
#'
#' `save_tamis()` writes the model of a fit to a file that the command line (`tamis predict`) and other languages read;
#' `load_tamis()` reads such files, whoever wrote them, and models exported as JSON. `tamis_export()` gives the model as C99
#' source without dependencies, or as JSON.
#' @param object a fit of [tamis()] or a model.
#' @param file name of the file; for `tamis_export()`, `NULL` returns the text.
#' @param to `"c"` or `"json"`.
#' @param name what the C function is called.
#' @return `load_tamis()`: an object of class `tamis_model`, for [predict()] and [selected()]. `save_tamis()`: `object`,
#'   invisibly. `tamis_export()`: the text, invisibly if it was written.
#' @examples
#' fit <- tamis(dist ~ speed, cars, method = "lssvm", seed = 1, quiet = TRUE)
#' file <- tempfile(fileext = ".tamis")
#' save_tamis(fit, file)
#' model <- load_tamis(file)
#' model
#' predict(model, data.frame(speed = 12))
#' @export
save_tamis <- function(object, file) {
  check_model(object)
  take(.Call(C_save, object$model, file_name(file)))
  invisible(object)
}

#' @rdname save_tamis
#' @export
load_tamis <- function(file) {
  model <- take(.Call(C_load, file_name(file)))
  structure(class = "tamis_model", c(list(model = model), take(.Call(C_describe_model, model))))
}

#' @rdname save_tamis
#' @export
tamis_export <- function(object, to = c("c", "json"), file = NULL, name = NULL) {
  check_model(object)
  text <- take(.Call(C_export, object$model, option_list(list(to = match.arg(to), name = name))))
  if (is.null(file)) return(text)
  write_text(text, file)
}

check_model <- function(object) {
  if (!inherits(object, c("tamis", "tamis_model"))) tamis_stop("a fit of tamis() or a model of load_tamis() is needed")
  if (!is.null(object$model)) return(invisible())
  if (length(selected(object)))
    tamis_stop("results that read_tamis() read have no model; load_tamis() reads model files", "tamis_data_error")
  tamis_stop("there is no model, since no input was selected", "tamis_data_error")
}

#' @export
print.tamis_model <- function(x, ...) {
  cat(sprintf("tamis model (%s) of %s\n", x$kind, paste(x$targets, collapse = ", ")))
  cat(strwrap(paste("inputs:", paste(x$inputs, collapse = ", ")), exdent = 2), sep = "\n")
  if (!is.null(x$classes)) cat(strwrap(paste("classes:", paste(x$classes, collapse = ", ")), exdent = 2), sep = "\n")
  if (x$basis_functions > 0) cat("basis functions:", x$basis_functions, "\n")
  invisible(x)
}
