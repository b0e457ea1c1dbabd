# Data frames as tables of the library: doubles, doubles with a unit (dates), and factors.

column <- function(x, name) UseMethod("column")
#' @exportS3Method
column.default <- function(x, name) {
  if (is.numeric(x)) return(as.double(x))
  tamis_stop(sprintf("column '%s' is of class %s, which cannot be used; drop it, or make it numbers or a factor", name,
                     class(x)[1L]), "tamis_data_error")
}
#' @exportS3Method
column.AsIs <- function(x, name) column(as_was(x), name)
#' @exportS3Method
column.logical <- function(x, name) as.double(x)
#' @exportS3Method
column.character <- function(x, name) factor(x)
#' @exportS3Method
column.factor <- function(x, name) {
  levels(x)[is.na(levels(x))] <- "(missing)"            # of addNA, where it is a level like others
  droplevels(x)
}
#' @exportS3Method
column.ordered <- function(x, name) as.double(unclass(x))
#' @exportS3Method
column.Date <- function(x, name) structure(as.double(unclass(x)), unit = 1)
#' @exportS3Method
column.POSIXct <- function(x, name) structure(as.double(unclass(x)), unit = 86400, tzone = NULL)
#' @exportS3Method
column.POSIXlt <- function(x, name) column(as.POSIXct(x), name)
#' @exportS3Method
column.difftime <- function(x, name) as.double(x, units = "days")
#' @exportS3Method
column.integer64 <- function(x, name) {
  if (isNamespaceLoaded("bit64")) return(as.double(x))
  tamis_stop(sprintf("column '%s' is of class integer64: load package bit64, or make it numeric", name), "tamis_data_error")
}

# Without the class that I() adds.
as_was <- function(x) {
  if (inherits(x, "AsIs")) class(x) <- setdiff(class(x), "AsIs")
  x
}

# Times to be predicted are numbers, as in lm(): days of dates, seconds of times, a difference in its own units.
plain_target <- function(y) {
  if (inherits(y, "POSIXlt")) y <- as.POSIXct(y)
  if (inherits(y, c("Date", "POSIXct", "difftime"))) as.double(y) else as_was(y)
}

# Differences of time in the units of those that a model was fitted to.
same_units <- function(y, like) {
  if (inherits(y, "difftime") && inherits(like, "difftime")) units(y) <- units(like)
  y
}

# A target of labels or truth values is one of classes.
target_column <- function(y, name) {
  y <- plain_target(y)
  if (is.logical(y)) y <- factor(y, levels = c(FALSE, TRUE))
  if (is.factor(y)) droplevels(factor(y, ordered = FALSE)) else column(y, name)
}

# Matrices and data frames inside a data frame become columns of their own.
flat_frame <- function(data) {
  if (!any(vapply(data, function(x) length(dim(x)) == 2L, NA))) return(data)
  parts <- Map(function(x, name) {
    if (length(dim(x)) != 2L) return(structure(list(x), names = name))
    x <- as.data.frame(as_was(x))
    names(x) <- paste0(name, ".", names(x))
    flat_frame(x)
  }, data, names(data))
  structure(do.call(c, unname(parts)), row.names = attr(data, "row.names"), class = "data.frame")
}

# What the user calls x: a data frame, a matrix or a vector; the columns of a matrix without names are x1, x2, ...
input_frame <- function(x) {
  if (is.data.frame(x)) x <- as.data.frame(x)             # a plain one of a tibble or a data.table
  else {
    if (is.list(x) || is.null(x) || length(dim(x)) > 2L)
      tamis_stop(sprintf("a data frame, a matrix or a vector of inputs is needed, not %s", class(x)[1L]), "tamis_data_error")
    if (length(dim(x)) < 2L) return(data.frame(x1 = as.vector(x)))
    if (is.null(colnames(x))) colnames(x) <- paste0("x", seq_len(ncol(x)))
    x <- as.data.frame(as.matrix(x), optional = TRUE)
  }
  flat_frame(x)
}

table_columns <- function(data) {
  if (anyDuplicated(names(data)))
    tamis_stop(sprintf("two columns are called '%s'", names(data)[duplicated(names(data))][1L]), "tamis_data_error")
  Map(column, as.list(data), names(data))
}

check_rows <- function(x, rows, what) {
  if (!is.atomic(x) || length(dim(x)) > 1L)
    tamis_stop(sprintf("%s: a vector is needed, not %s", what, class(x)[1L]), "tamis_data_error")
  if (length(x) != rows)
    tamis_stop(sprintf("%s: %d values, but the table has %d rows", what, length(x), rows), "tamis_data_error")
  x
}

check_weights <- function(x, rows) {
  if (!is.numeric(x) && !is.logical(x))
    tamis_stop(sprintf("weights: numbers are needed, not %s", class(x)[1L]), "tamis_data_error")
  check_rows(x, rows, "weights")
}

# The columns of a run: inputs, targets, and what the options row-weights and groups name.
run_table <- function(frame) {
  rows <- nrow(frame$inputs)
  columns <- table_columns(frame$inputs)
  targets <- Map(target_column, as.list(frame$targets), names(frame$targets))
  for (name in names(targets)) check_rows(targets[[name]], rows, name)
  taken <- intersect(names(columns), names(targets))
  if (length(taken)) tamis_stop(sprintf("'%s' is both an input and the target", taken[1L]), "tamis_data_error")
  columns <- c(columns, targets)
  if (!is.null(frame$weights)) columns[["(weights)"]] <- as.double(check_weights(frame$weights, rows))
  if (!is.null(frame$groups)) columns[["(groups)"]] <- factor(check_rows(frame$groups, rows, "groups"))
  columns
}

# The user's options and those that name the columns; the seed of a run follows from R's generator unless it is given.
run_options <- function(frame, given) {
  if (is.null(given$seed)) given$seed <- draw_seed()
  named <- intersect(frame$named, names(frame$inputs))
  columns <- list(target = I(names(frame$targets)),
                  `row-weights` = if (!is.null(frame$weights)) I("(weights)"),
                  groups = if (!is.null(frame$groups)) I("(groups)"),
                  keep = if (length(named)) I(named))
  option_list(c(columns, given))
}

# Text of a table as the library writes it, every number to its last bit.
read_text <- function(text) {
  cells <- utils::read.csv(text = text, colClasses = "character", check.names = FALSE, na.strings = "",
                           encoding = "UTF-8")
  cells[] <- lapply(cells, function(x) {
    numbers <- .Call(C_numbers, x)
    if (is.null(numbers)) factor(x) else numbers
  })
  cells
}
