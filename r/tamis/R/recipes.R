#' A recipes step that keeps the inputs tamis selects
#'
#' `step_select_tamis()` adds a step to a recipe that removes the predictors which [tamis()] does not select for the
#' outcome.
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
                               progress = FALSE), x$options))
  x$removals <- setdiff(unname(inputs), selected(fit))
  x$trained <- TRUE
  x
}

#' @exportS3Method recipes::bake
bake.step_select_tamis <- function(object, new_data, ...) {
  new_data[setdiff(names(new_data), object$removals)]
}

#' @rdname step_select_tamis
#' @export
print.step_select_tamis <- function(x, ...) {
  cat(if (x$trained) sprintf("tamis selection removed: %s", paste(x$removals, collapse = ", "))
      else sprintf("tamis selection by %s", x$method), "\n", sep = "")
  invisible(x)
}

#' @exportS3Method recipes::tidy
tidy.step_select_tamis <- function(x, ...) {
  data.frame(terms = if (x$trained) as.character(x$removals) else NA_character_, id = x$id)
}

#' @exportS3Method recipes::required_pkgs
required_pkgs.step_select_tamis <- function(x, ...) "tamis"
