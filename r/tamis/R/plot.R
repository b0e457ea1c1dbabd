#' Plots of a selection
#'
#' `plot()` draws with base graphics, [ggplot2::autoplot()] with ggplot2.
#' @param x,object a fit of [tamis()].
#' @param what `"path"`: the criterion along the search, with the chosen set; `"importance"`: how much the error grows
#'   without each selected input, with two standard errors; `"profiles"`: the prediction along each selected input, the
#'   others at their medians (probabilities, for classes).
#' @param ... graphical parameters.
#' @return `plot()`: the fit, invisibly. `autoplot()`: a ggplot.
#' @examples
#' fit <- tamis(mpg ~ ., mtcars, method = "lars", seed = 1, quiet = TRUE)
#' plot(fit)
#' plot(fit, "importance")
#' plot(fit, "profiles")
#' @export
plot.tamis <- function(x, what = c("path", "importance", "profiles"), ...) {
  switch(match.arg(what), path = plot_path(x, ...), importance = plot_importance(x, ...),
         profiles = plot_profiles(x, ...))
  invisible(x)
}

nothing_to_plot <- function(what) tamis_stop(sprintf("this fit has no %s", what), "tamis_data_error")

path_data <- function(x) {
  path <- as.data.frame(x, what = "path")
  if (!nrow(path)) nothing_to_plot("path: its method takes no steps")
  path
}

whole_ticks <- function(x) Filter(function(at) at == round(at), pretty(x))

plot_path <- function(x, ...) {
  path <- path_data(x)
  draw <- function(..., xlab = "inputs", ylab = x$result$error$label, type = "b", pch = 1)
    graphics::plot(path$size, path$criterion, xlab = xlab, ylab = ylab, type = type, pch = pch, xaxt = "n", ...)
  draw(...)
  graphics::axis(1, whole_ticks(path$size))
  chosen <- path[path$chosen, ]
  graphics::points(chosen$size, chosen$criterion, pch = 19)
}

# The selected inputs with a known importance (else their relevance), the largest last.
importance_data <- function(x) {
  inputs <- as.data.frame(x)
  inputs <- inputs[inputs$selected, ]
  if (!nrow(inputs)) nothing_to_plot("selected inputs")
  known <- !all(is.na(inputs$importance))
  inputs$value <- if (known) inputs$importance else inputs$relevance
  inputs$se <- if (known) inputs$importance_se else NA_real_
  inputs <- inputs[order(inputs$value), ]
  attr(inputs, "label") <- if (known) "growth of the error without the input" else "relevance"
  inputs
}

plot_importance <- function(x, ...) {
  inputs <- importance_data(x)
  se <- ifelse(is.na(inputs$se), 0, inputs$se)
  limits <- range(0, inputs$value - 2 * se, inputs$value + 2 * se, na.rm = TRUE)
  draw <- function(..., xlab = attr(inputs, "label"), pch = 19, xlim = limits, cex = max(0.4, min(1, 16 / nrow(inputs))))
    graphics::dotchart(inputs$value, labels = inputs$name, xlab = xlab, pch = pch, xlim = xlim, cex = cex, ...)
  draw(...)
  at <- seq_len(nrow(inputs))
  graphics::segments(inputs$value - 2 * se, at, inputs$value + 2 * se, at)
}

# All profiles as one data frame: input, x (a number) or level, line (the target or a class), y.
profile_data <- function(x) {
  profiles <- x$result$evidence$profiles
  if (!length(profiles)) nothing_to_plot("profiles: there is no model, or evidence = FALSE")
  lines <- if (is.null(x$result$evidence$classes)) x$result$data$target else x$result$evidence$classes
  order <- intersect(c(as.character(x$classes), lines), lines)          # that of the levels of the target
  do.call(rbind, lapply(profiles, function(profile) {
    curves <- if (is.null(profile$scores)) profile$median else profile$scores
    numeric <- is.null(profile$levels)
    points <- if (numeric) profile$x else seq_along(profile$levels)
    do.call(rbind, lapply(seq_along(curves), function(k) data.frame(
      input = profile$input, x = points, level = if (numeric) NA_character_ else profile$levels,
      line = factor(lines[k], order), y = curves[[k]])))
  }))
}

plot_profiles <- function(x, ...) {
  data <- profile_data(x)
  inputs <- unique(data$input)
  across <- ceiling(sqrt(length(inputs)))
  before <- graphics::par(mfrow = c(ceiling(length(inputs) / across), across), mar = c(4, 4, 1, 1))
  on.exit(graphics::par(before))
  limits <- range(data$y, na.rm = TRUE)
  lines <- levels(data$line)
  if (length(lines) > 1L) limits[2L] <- limits[2L] + 0.12 * ceiling(length(lines) / 2) * diff(limits)     # the legend
  for (input in inputs) plot_profile(data[data$input == input, ], limits, x, input == inputs[1L], ...)
}

plot_profile <- function(data, ylim, x, legend, ...) {
  lines <- levels(data$line)
  colours <- grDevices::hcl.colors(max(3L, length(lines)), "Dark 3")
  label <- if (x$result$data$task == "regression") x$result$data$target else "probability"
  levels <- unique(stats::na.omit(data$level))
  draw <- function(..., xlab = data$input[1L], ylab = label)
    graphics::plot(data$x, data$y, type = "n", ylim = ylim, xlab = xlab, ylab = ylab, xaxt = if (length(levels)) "n" else "s",
                   ...)
  draw(...)
  if (length(levels)) graphics::axis(1, seq_along(levels), levels)
  for (k in seq_along(lines)) {
    one <- data[data$line == lines[k], ]
    graphics::lines(one$x, one$y, col = if (length(lines) > 1L) colours[k] else "black",
                    type = if (length(levels)) "b" else "l")
  }
  if (legend && length(lines) > 1L)
    graphics::legend("top", lines, col = colours, lty = 1, ncol = 2L, bty = "n", cex = 0.8, seg.len = 1)
}

#' @rdname plot.tamis
#' @exportS3Method ggplot2::autoplot
autoplot.tamis <- function(object, what = c("path", "importance", "profiles"), ...) {
  switch(match.arg(what), path = gg_path(object), importance = gg_importance(object), profiles = gg_profiles(object))
}

# Columns are named by text, so that nothing looks like a global variable.
gg_names <- function(...) do.call(ggplot2::aes, lapply(list(...), function(name) call("[[", quote(.data), name)))
gg <- function(data, ...) ggplot2::ggplot(data, gg_names(...))

gg_path <- function(object) {
  path <- path_data(object)
  gg(path, x = "size", y = "criterion") + ggplot2::geom_line() + ggplot2::geom_point(shape = 1) +
    ggplot2::geom_point(data = path[path$chosen, ], size = 3) + ggplot2::scale_x_continuous(breaks = whole_ticks) +
    ggplot2::labs(x = "inputs", y = object$result$error$label)
}

gg_importance <- function(object) {
  inputs <- importance_data(object)
  inputs$name <- factor(inputs$name, levels = inputs$name)
  inputs$low <- inputs$value - 2 * inputs$se
  inputs$high <- inputs$value + 2 * inputs$se
  gg(inputs, x = "value", y = "name", xmin = "low", xmax = "high") + ggplot2::geom_vline(xintercept = 0, colour = "grey") +
    ggplot2::geom_linerange(na.rm = TRUE) + ggplot2::geom_point() + ggplot2::labs(x = attr(inputs, "label"), y = NULL)
}

gg_profiles <- function(object) {
  data <- profile_data(object)
  data$input <- factor(data$input, levels = unique(data$input))
  regression <- object$result$data$task == "regression"
  plot <- if (regression) gg(data, x = "x", y = "y") else gg(data, x = "x", y = "y", colour = "line")
  levels <- data[!is.na(data$level) & data$line == data$line[1L], ]
  if (nrow(levels)) {           # the axis has numbers, since other inputs may share the plot
    levels$bottom <- -Inf
    plot <- plot + ggplot2::geom_point(data = data[!is.na(data$level), ]) +
      ggplot2::geom_text(gg_names(x = "x", y = "bottom", label = "level"), data = levels, inherit.aes = FALSE,
                         vjust = -0.5, hjust = "inward", size = 3)
  }
  plot + ggplot2::geom_line() + ggplot2::facet_wrap("input", scales = "free_x") +
    ggplot2::labs(x = NULL, y = if (regression) object$result$data$target else "probability", colour = NULL)
}
