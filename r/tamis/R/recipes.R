#' A recipes step that keeps the inputs tamis selects
#'
#' `step_select_tamis()` adds a step to a recipe that removes the predictors which [tamis()] does not select for the
#' outcome. Dates among these predictors are inputs like others, and columns with the role of case weights are weights.
#' @param recipe a recipe.
#' @param ... selectors of the predictors to choose from, such as [recipes::all_predictors()].
#' @param outcome name of the outcome; by default the only variable with that role.
#' @param method name of a method.
#' @param options a list of further options of [tamis()], such as `list(max_inputs = 5)`.
#' @param role,trained,removals,skip,id as in other steps.
#' @param x a step.
#' @return The recipe with the step added.
#' @examples
#' if (requireNamespace("recipes", quietly = TRUE)) {
#'   set.seed(1)
#'   rec <- recipes::recipe(mpg ~ ., mtcars)
#'   rec <- step_select_tamis(rec, recipes::all_predictors(), method = "lars")
#'   names(recipes::bake(recipes::prep(rec), mtcars))
#' }
#' @export
step_select_tamis <- function(recipe, ..., outcome = NULL, method = "auto", options = list(), role = NA, trained = FALSE,
                              removals = NULL, skip = FALSE, id = recipes::rand_id("select_tamis")) {
  recipes::add_step(recipe, recipes::step(
    subclass = "select_tamis", terms = rlang::enquos(...), outcome = outcome, method = method, options = options,
    role = role, trained = trained, removals = removals, skip = skip, id = id))
}

#' @exportS3Method recipes::prep
prep.step_select_tamis <- function(x, training, info = NULL, ...) {
  inputs <- recipes::recipes_eval_select(x$terms, training, info)
  outcome <- if (is.null(x$outcome)) info$variable[info$role %in% "outcome"] else x$outcome
  if (length(outcome) != 1L) tamis_stop("step_select_tamis needs one outcome; name it with outcome")
  fit <- do.call(tamis, c(list(as.data.frame(training[inputs]), training[[outcome]], method = x$method, quiet = TRUE,
                               weights = case_weights(training, info), progress = FALSE),
                          step_options(x$options, training[inputs])))
  x$removals <- setdiff(unname(inputs), selected(fit))
  x$trained <- TRUE
  x
}

# Dates are inputs, since the recipe chose them as predictors.
step_options <- function(options, inputs) {
  dates <- names(inputs)[vapply(inputs, inherits, NA, c("Date", "POSIXt"))]
  if (length(dates) && is.null(options$keep) && is.null(options$dates)) options$keep <- I(dates)
  options
}

case_weights <- function(training, info) {
  name <- info$variable[info$role %in% "case_weights"]
  if (length(name)) as.double(training[[name]])
}

#' @exportS3Method recipes::bake
bake.step_select_tamis <- function(object, new_data, ...) {
  new_data[setdiff(names(new_data), object$removals)]
}

#' @rdname step_select_tamis
#' @export
print.step_select_tamis <- function(x, ...) {
  shown <- utils::head(x$removals, 10L)
  more <- length(x$removals) - length(shown)
  removed <- paste(c(if (length(shown)) shown else "nothing", if (more) sprintf("and %d more", more)), collapse = ", ")
  cat("tamis selection by ", x$method, if (x$trained) sprintf(" removed %s [trained]", removed), "\n", sep = "")
  invisible(x)
}

#' @exportS3Method recipes::tidy
tidy.step_select_tamis <- function(x, ...) {
  terms <- if (x$trained) as.character(x$removals) else vapply(x$terms, rlang::as_label, "")
  data.frame(terms = unname(terms), id = rep(x$id, length(terms)))
}

#' @exportS3Method recipes::required_pkgs
required_pkgs.step_select_tamis <- function(x, ...) "tamis"
