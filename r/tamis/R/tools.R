#' Reports and figures
#'
#' Writes the result as one HTML page that needs no network, or one figure of it as SVG.
#' @param object a fit of [tamis()] or a comparison of [tamis_compare()].
#' @param file name of the file; `NULL` returns the text.
#' @param figure name of a figure (`tamis_methods("figure")` lists them), or `"auto"`; `NULL`: the whole page.
#' @param labels what figures call columns: a named character vector.
#' @return The text, invisibly if it was written.
#' @examples
#' fit <- tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE)
#' page <- tempfile(fileext = ".html")
#' tamis_report(fit, page)
#' svg <- tamis_report(fit, figure = "importance", labels = c(wt = "weight"))
#' @export
tamis_report <- function(object, file = NULL, figure = NULL, labels = NULL) {
  if (is.null(object$json)) tamis_stop("a fit of tamis() or a comparison of tamis_compare() is needed")
  labels <- if (length(labels)) paste0(names(labels), "=", labels) else character()
  text <- take(.Call(C_report, object$json, figure, labels))
  if (is.null(file)) return(text)
  write_text(text, file)
}

#' Results of the command line
#'
#' Reads what `tamis select -o` or `tamis compare -o` wrote, for [as.data.frame()], [plot()][plot.tamis] and
#' [tamis_report()]; predictions need the model file, see [load_tamis()].
#' @param file name of the file.
#' @return An object of class `tamis` without a model, or of class `tamis_comparison`.
#' @examples
#' fit <- tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE)
#' file <- tempfile(fileext = ".json")
#' writeLines(fit$json, file)
#' selected(read_tamis(file))
#' @export
read_tamis <- function(file) {
  file <- file_name(file)
  if (!file.exists(file)) tamis_stop(sprintf("%s: no such file", file), "tamis_data_error")
  json <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  result <- take(.Call(C_parse, json))
  call <- as.call(c(list(quote(read_tamis)), list(file)))
  structure(class = if (is.null(result$selected)) "tamis_comparison" else "tamis",
            list(call = call, result = result, json = json))
}

#' Tables with a known answer
#'
#' @param name of the table; `tamis_methods("generator")` lists them.
#' @param rows number of rows.
#' @param seed of the random numbers; drawn from R's generator unless given.
#' @param ... further options: `useless`, how many useless inputs; `noise`, its standard deviation.
#' @return A data frame, the target in its last column.
#' @examples
#' set.seed(1)
#' head(tamis_generate("add10", rows = 100))
#' @export
tamis_generate <- function(name, rows = 250, seed = NULL, ...) {
  options <- option_list(list(rows = rows, seed = if (is.null(seed)) draw_seed() else seed, ...))
  read_text(take(.Call(C_generate, name, options)))
}

#' Read a table in any format
#'
#' Reads delimited text, ARFF, LIBSVM, NPY, NPZ, MATLAB files and, where the libraries were found when the package was
#' built, SQLite and Excel, plain, gzipped or zstd-compressed, by the rules of the command line.
#' @param file name of the file.
#' @param ... options, such as `missing`, `delimiter`, `sheet`, `query`, `variables`.
#' @param quiet whether to leave out the messages.
#' @return A data frame; texts are factors.
#' @examples
#' file <- tempfile(fileext = ".csv")
#' writeLines(c("a;b;c", "1,5;x;2", "2,5;y;?"), file)
#' tamis_read(file)
#' @export
tamis_read <- function(file, ..., quiet = FALSE) {
  read_text(take(.Call(C_read, file_name(file), option_list(list(...))), quiet))
}

#' Drop columns and rows until no value is missing
#'
#' Each step drops the column with the most missing values, then the `samples_per_step` rows with the most, until none is
#' missing (Mateo and Lendasse, 2008, section 5.1).
#' @param data a data frame.
#' @param target name of a column that is neither counted nor dropped.
#' @param ... options: `samples_per_step`, `min_rows`.
#' @return The rest of `data`, with the attribute `tradeoff`: a data frame of rows and columns left for each number of rows
#'   per step.
#' @examples
#' clean <- tamis_clean(airquality)
#' dim(clean)
#' attr(clean, "tradeoff")
#' @export
tamis_clean <- function(data, target = NULL, ...) {
  if (!is.data.frame(data)) tamis_stop("a data frame is needed", "tamis_data_error")
  # Only what is missing counts: a table of row numbers tells which rows are left.
  gaps <- function(x) if (length(dim(x)) == 2L) !stats::complete.cases(x) else is.na(x)
  places <- lapply(data, function(x) replace(as.double(seq_len(nrow(data))), gaps(x), NA))
  got <- take(.Call(C_clean, places, "data", option_list(list(target = if (!is.null(target)) I(target), ...))))
  left <- read_text(got$text)
  counted <- setdiff(names(left), target)
  if (!length(counted)) tamis_stop("no column is left beside the target", "tamis_data_error")
  clean <- data[left[[counted[1L]]], names(left), drop = FALSE]
  tradeoff <- got$report$tradeoff
  fields <- c("samples_per_step", "iterations", "rows", "columns")
  attr(clean, "tradeoff") <- as.data.frame(lapply(stats::setNames(fields, fields), function(name) field(tradeoff, name)))
  clean
}

#' Columns of a table as tamis sees them
#'
#' @param data a data frame.
#' @param ... options that give columns a role: `target` (the last by default), `inputs`, `ignore`, `keep`, `dates`.
#' @return A data frame with one row per column: its type, its role (input, target, identifier, date, constant, duplicate,
#'   many-levels), and how many values are missing and distinct.
#' @examples
#' tamis_describe(cbind(id = 1:150, iris), target = "Species")
#' @export
tamis_describe <- function(data, ...) {
  frame <- input_frame(data)
  columns <- take(.Call(C_describe, table_columns(frame), "data", option_list(list(...))))$columns
  data.frame(name = field(columns, "name", ""), type = field(columns, "type", ""), role = field(columns, "role", ""),
             missing = field(columns, "missing"), distinct = field(columns, "distinct"))
}
