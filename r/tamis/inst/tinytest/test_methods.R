# Methods of fits: predictions, printing, data frames, plots, model files, reports, comparisons, tables.
set.seed(2)
fit <- tamis(mpg ~ ., mtcars, method = "lars", quiet = TRUE)
classes <- tamis(Species ~ ., iris, method = "search", criterion = "knn", quiet = TRUE)
truth <- tamis(iris[1:4], iris$Species == "virginica", method = "search", criterion = "knn", quiet = TRUE)

# predictions
expect_equal(predict(fit, mtcars), fitted(fit))
expect_equal(unname(residuals(fit)), mtcars$mpg - unname(fitted(fit)))
expect_equal(names(predict(fit, mtcars[1:2, ])), rownames(mtcars)[1:2])
expect_identical(levels(predict(classes, iris)), levels(iris$Species))
expect_equal(mean(residuals(classes)), mean(predict(classes, iris, "class") != iris$Species))
prob <- predict(classes, iris, type = "prob")
expect_equal(colnames(prob), levels(iris$Species))
expect_equal(rowSums(prob), rep(1, 150))
expect_equal(colnames(prob)[max.col(prob, "first")], as.character(predict(classes, iris)))
expect_true(is.logical(predict(truth, iris)))
range <- predict(fit, mtcars, type = "interval", level = 0.8)
expect_equal(colnames(range), c("fit", "lwr", "upr"))
expect_true(all(range[, "lwr"] < range[, "fit"] & range[, "fit"] < range[, "upr"]))
expect_error(predict(fit, mtcars, type = "prob"), class = "tamis_usage_error")
expect_error(predict(classes, iris, type = "interval"), class = "tamis_usage_error")
expect_error(predict(fit, mtcars["cyl"]))

# the rows of the fit, and no rows at all
expect_identical(predict(classes, type = "prob"), prob)
expect_equal(predict(fit, type = "interval", level = 0.8), range)
expect_error(predict(fit, type = "interval", level = NA), "between 0 and 1", class = "tamis_usage_error")
expect_equal(length(predict(fit, mtcars[0, ])), 0L)
expect_equal(dim(predict(classes, iris[0, ], "prob")), c(0L, 3L))

# what was selected
inputs <- as.data.frame(fit)
expect_equal(inputs$name, names(mtcars)[-1])
expect_equal(sort(inputs$name[inputs$selected]), sort(selected(fit)))
expect_equal(names(coef(fit)), selected(fit))
expect_equal(coef(fit, "relevance"), structure(inputs$relevance[match(selected(fit), inputs$name)], names = selected(fit)))
path <- as.data.frame(fit, what = "path")
expect_equal(path$size[path$chosen], length(selected(fit)))
expect_stdout(print(fit), "lars chose")
expect_stdout(print(summary(fit)), "predicting the mean")
expect_equal(formula(fit)[[2]], quote(mpg))
expect_equal(length(selected(update(fit, . ~ wt + hp, method = "search", max_inputs = 1))), 1L)

# plots
pdf(NULL)
for (what in c("path", "importance", "profiles")) expect_silent(plot(fit, what))
expect_silent(plot(classes, "profiles"))
if (requireNamespace("ggplot2", quietly = TRUE))
  for (what in c("path", "importance", "profiles")) expect_silent(print(ggplot2::autoplot(fit, what)))
invisible(dev.off())

# files: the same bits come back, and a fit survives saveRDS
file <- tempfile(fileext = ".tamis")
save_tamis(classes, file)
model <- load_tamis(file)
expect_identical(as.character(predict(model, iris)), as.character(predict(classes, iris)))
expect_identical(predict(model, iris, "prob"), prob)
expect_equal(sort(selected(model)), sort(selected(classes)))
expect_stdout(print(model), "classes")
json <- tempfile(fileext = ".json")
tamis_export(classes, "json", json)
expect_identical(predict(load_tamis(json), iris, "prob"), prob)
expect_true(grepl("double", tamis_export(fit, "c", name = "mileage")))
kept <- tempfile(fileext = ".rds")
saveRDS(fit, kept)
expect_identical(predict(readRDS(kept), mtcars), fitted(fit))
writeLines("not a model", file)
expect_error(load_tamis(file), class = "tamis_data_error")

# a result without its model
stored <- tempfile(fileext = ".json")
writeLines(fit$json, stored)
expect_equal(selected(read_tamis(stored)), selected(fit))
expect_error(predict(read_tamis(stored), mtcars), "load_tamis", class = "tamis_data_error")
expect_error(read_tamis(tempfile()), "no such file", class = "tamis_data_error")
expect_error(save_tamis(fit, 3), "name of one file", class = "tamis_usage_error")
expect_error(tamis_report(fit, file.path(tempfile(), "x.html")), "cannot be written", class = "tamis_system_error")

# reports
expect_true(grepl("<html", tamis_report(fit)))
expect_true(grepl("weight of the car", tamis_report(fit, figure = "importance", labels = c(wt = "weight of the car"))))
expect_error(tamis_report(fit, figure = "none"), class = "tamis_usage_error")

# comparisons
both <- tamis_compare(mpg ~ ., mtcars, methods = c("lars", "search"), outer = 3, seed = 1, quiet = TRUE)
expect_equal(as.data.frame(both)$method, c("lars", "search"))
expect_equal(nrow(as.data.frame(both, what = "better")), 1L)
expect_stdout(print(both), "3 outer folds")
expect_true(grepl("<html", tamis_report(both)))
expect_equal(as.data.frame(tamis_compare(mtcars[-1], y = mtcars$mpg, methods = "lars", outer = 3, seed = 1,
                                         quiet = TRUE))$error[1], as.data.frame(both)$error[1])

# tables
set.seed(3); a <- tamis_generate("add10", rows = 50)
set.seed(3); b <- tamis_generate("add10", rows = 50)
expect_identical(a, b)
expect_equal(dim(a), c(50L, 11L))
expect_identical(tamis_generate("add10", rows = 50, seed = 4), tamis_generate("add10", rows = 50, seed = 4))
clean <- tamis_clean(airquality)
expect_false(anyNA(clean))
expect_equal(clean, airquality[rownames(clean), names(clean)], check.attributes = FALSE)
expect_true(nrow(attr(clean, "tradeoff")) > 1L)
expect_true("Ozone" %in% names(tamis_clean(airquality, target = "Ozone")))
csv <- tempfile(fileext = ".csv")
write.csv(data.frame(x = c(0.1, 1e-300, 1 / 3), g = c("a", "b", NA)), csv, row.names = FALSE)
read <- tamis_read(csv)
expect_identical(read$x[1:2], c(0.1, 1e-300))
expect_identical(read$g, factor(c("a", "b", NA)))
roles <- tamis_describe(cbind(id = 1:150, iris), target = "Species")
expect_equal(roles$role[roles$name %in% c("id", "Species")], c("identifier", "target"))

# what there is
expect_true(all(c("sift", "sisal", "rjmcmc") %in% tamis_methods()$name))
expect_true("max_inputs" %in% tamis_options()$name)
expect_true(nrow(tamis_methods("figure")) > 5L)

# probabilities, in the order of the levels; one that no row has gets none
kinds <- factor(c("lo", "mid", "hi")[1L + (iris$Petal.Width > 0.8) + (iris$Petal.Width > 1.7)],
                levels = c("lo", "mid", "hi", "none"))
leveled <- tamis(iris[1:4], kinds, method = "search", criterion = "knn", quiet = TRUE)
ordered_prob <- predict(leveled, iris, type = "prob")
expect_equal(colnames(ordered_prob), levels(kinds))
expect_equal(levels(kinds)[max.col(ordered_prob, "first")], as.character(predict(leveled, iris)))
expect_equal(ordered_prob[, "none"], rep(0, 150))
expect_identical(predict(leveled, type = "prob"), ordered_prob)
expect_true(all(is.na(predict(leveled, transform(iris, Petal.Width = NA), "prob"))))
expect_equal(colnames(predict(truth, iris, "prob")), c("FALSE", "TRUE"))
counts <- tamis(iris[1:4], c(2, 10, 1)[iris$Species], task = "classification", method = "search", criterion = "knn",
                quiet = TRUE)
expect_equal(colnames(predict(counts, iris, "prob")), c("1", "2", "10"))
expect_equal(levels(predict(counts, iris)), c("1", "2", "10"))
expect_equal(colnames(predict(tamis(iris[1:4], as.character(iris$Species), method = "search", criterion = "knn",
                                    quiet = TRUE), type = "prob")), levels(iris$Species))

# rows left by tamis_clean, with a matrix among the columns
wide <- airquality
wide$m <- cbind(c(NA, wide$Wind[-1]), wide$Temp)
expect_error(tamis_clean(as.matrix(airquality)), "data frame", class = "tamis_data_error")
expect_false(anyNA(tamis_clean(wide)))
