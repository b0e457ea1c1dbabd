# Options: by name, with dots or underscores for the hyphens of the command line.

option_rows <- function() {
  rows <- .Call(C_options)
  field <- function(name) vapply(rows, function(row) row[[name]], "")
  all <- data.frame(name = gsub("-", "_", field("name")), type = field("type"), default = field("default"),
                    choices = field("choices"), part = field("part"), help = r_words(field("help")))
  all[!duplicated(all[c("name", "part")]), ]
}

#' Methods and options
#'
#' `tamis_methods()` lists what there is: methods, criteria, searches, tables with a known answer for
#' [tamis_generate()] and figures for [tamis_report()]. `tamis_options()` lists the options that [tamis()] and its kin
#' take as further arguments.
#' @param kind what to list.
#' @param method only options of these methods, criteria or searches, or `"common"`; by default all. A method that is made
#'   of a criterion and a search takes their options too (`sisal`: those of `"loo-rbf"`, `"eliminate"` and `"path"`).
#' @return A data frame with one row per method or option.
#' @examples
#' tamis_methods()[c("name", "task")]
#' tamis_options(c("loo-rbf", "cv-lssvm"))
#' head(tamis_options("common")[c("name", "default")])
#' @export
tamis_methods <- function(kind = c("method", "criterion", "search", "generator", "figure")) {
  kind <- match.arg(kind)
  parts <- take(.Call(C_catalogue))
  parts <- parts[vapply(parts, function(part) part$kind == kind, NA)]
  field <- function(name) vapply(parts, function(part) if (is.null(part[[name]])) NA_character_ else part[[name]], "")
  data.frame(name = field("name"), task = field("task"), summary = r_words(field("summary")), paper = field("paper"))
}

#' @rdname tamis_methods
#' @export
tamis_options <- function(method = NULL) {
  rows <- option_rows()
  known <- c(rows$part, unlist(lapply(c("method", "criterion", "search"), function(kind) tamis_methods(kind)$name)))
  unknown <- setdiff(method, known)
  if (length(unknown)) tamis_stop(sprintf("no method, criterion or search is called %s; tamis_methods() lists them", unknown[1L]))
  if (!is.null(method)) rows <- rows[rows$part %in% method, ]
  row.names(rows) <- NULL
  rows
}

# One option as C takes it: a flag, a number, one text, or names (AsIs: literally, whatever characters they have).
option_value <- function(name, value) {
  name <- gsub("-", "_", name)
  if (is.factor(value)) value <- as.character(value)
  if (!is.atomic(value) || !length(value) || anyNA(value))
    tamis_stop(sprintf("option %s: a flag, a number or texts without missing values are needed", name))
  if (is.numeric(value) && length(value) > 1L) value <- paste(format_number(value), collapse = ":")
  if (is.logical(value) || is.numeric(value) || is.character(value)) return(value)
  tamis_stop(sprintf("option %s: a flag, a number or texts are needed, not %s", name, class(value)[1L]))
}

format_number <- function(x) vapply(x, format, "", digits = 15L, scientific = NA, trim = TRUE)

# A named list for C. NULL unsets an option; a later one replaces an earlier one.
option_list <- function(given) {
  if (length(given) && (is.null(names(given)) || any(names(given) == "")))
    tamis_stop("every option needs its name, as in max_inputs = 5")
  names(given) <- gsub("[._]", "-", names(given))
  check_names(gsub("-", "_", names(given)))
  given <- given[!duplicated(names(given), fromLast = TRUE)]
  given <- given[!vapply(given, is.null, NA)]
  Map(option_value, names(given), given)
}

# Arguments that R users know from elsewhere, and that are not options.
not_options <- c(
  subset = "subset belongs to the formula interface; index the rows of x and y instead",
  na_action = "na.action belongs to the formula interface; here, rows with missing values are left out, or see impute",
  offset = "offsets are not supported; subtract the offset from the target",
  family = "there is no family; task = \"classification\" makes classes of a numeric target",
  data = "data belongs to the formula interface: tamis(formula, data)",
  formula = "the formula comes first: tamis(formula, data)")

check_names <- function(names) {
  foreign <- intersect(names, names(not_options))
  if (length(foreign)) tamis_stop(not_options[[foreign[1L]]])
  known <- unique(option_rows()$name)
  unknown <- setdiff(names, known)
  if (!length(unknown)) return(invisible())
  distance <- utils::adist(unknown[1L], known)
  tamis_stop(sprintf("unknown option %s; %s", unknown[1L],
                     if (min(distance) <= 3L) sprintf("did you mean %s?", known[which.min(distance)])
                     else "tamis_options() lists them"))
}

# So that set.seed rules.
draw_seed <- function() sample.int(.Machine$integer.max, 1L)
