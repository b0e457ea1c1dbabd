# recipes and caret, where they are installed.
if (requireNamespace("recipes", quietly = TRUE)) {
  set.seed(1)
  rec <- recipes::recipe(mpg ~ ., mtcars)
  rec <- step_select_tamis(rec, recipes::all_predictors(), method = "search", options = list(max_inputs = 3))
  expect_stdout(print(rec$steps[[1]]), "search")
  ready <- recipes::prep(rec)
  baked <- recipes::bake(ready, mtcars[1:5, ])
  expect_true(ncol(baked) <= 4L && "mpg" %in% names(baked))
  expect_equal(sort(c(names(baked), recipes::tidy(ready, 1)$terms)), sort(names(mtcars)))
  expect_stdout(print(ready$steps[[1]]), "removed")
  expect_equal(recipes::required_pkgs(rec$steps[[1]]), "tamis")
  expect_equal(recipes::tidy(rec, 1)$terms, "recipes::all_predictors()")

  # dates, times and differences of time among the predictors; rows to bake that lack the outcome, or some levels
  n <- 80
  d <- data.frame(x = rnorm(n), when = as.Date("2024-01-01") + sample(300, n), f = factor(sample(c("u", "v"), n, TRUE)))
  d$stamp <- as.POSIXct("2024-01-01", tz = "UTC") + 86400 * runif(n, 0, 300)
  d$span <- as.difftime(runif(n), units = "hours")
  d$y <- as.double(d$when) / 100 + rnorm(n, sd = 0.05)
  choose <- function(outcome, data = d, ...) {
    rec <- recipes::recipe(reformulate(setdiff(names(data), outcome), outcome), data)
    recipes::prep(step_select_tamis(rec, recipes::all_predictors(), method = "search",
                                    options = list(criterion = "knn", ...)))
  }
  dated <- choose("y")
  expect_true("when" %in% names(recipes::bake(dated, d[1:5, ])))
  expect_equal(names(recipes::bake(dated, d[1:3, names(d) != "y"])), setdiff(names(recipes::bake(dated, d)), "y"))
  expect_equal(recipes::bake(dated, d[4:6, ])$when, d$when[4:6])
  expect_equal(nrow(recipes::bake(dated, d[0, ])), 0L)
  for (name in c("span", "when", "stamp"))
    expect_true(name %in% names(recipes::bake(choose(name), d[1:2, ])))
  # case weights: rows of weight 0 do not count
  if (requireNamespace("hardhat", quietly = TRUE) && "importance_weights" %in% getNamespaceExports("hardhat")) {
    half <- rep(0:1, each = n / 2)
    two <- data.frame(p = rnorm(n), q = rnorm(n))
    two$y <- ifelse(half == 1, two$p, two$q)
    two$w <- hardhat::importance_weights(half)
    expect_equal(names(recipes::bake(choose("y", two), two)), c("p", "w", "y"))
  }
  d$near <- d$span + as.difftime(1, units = "mins") * rnorm(n)
  expect_true("near" %in% names(recipes::bake(choose("span"), d)))
  expect_false("when" %in% names(recipes::bake(choose("y", must = "x", max_inputs = 1), d)))
}
if (requireNamespace("caret", quietly = TRUE)) {
  set.seed(1)
  number <- caret::train(mtcars[-1], mtcars$mpg, method = tamis_caret("search"), tuneLength = 2,
                         trControl = caret::trainControl("cv", 3))
  expect_true(all(caret::predictors(number) %in% names(mtcars)))
  expect_true(all(is.finite(number$results$RMSE)))
  expect_equal(nrow(caret::varImp(number)$importance), 10L)
  label <- caret::train(iris[1:4], iris$Species, method = tamis_caret("search", criterion = "knn", evidence = FALSE),
                        tuneLength = 1, trControl = caret::trainControl("cv", 3, classProbs = TRUE))
  expect_true(label$results$Accuracy > 0.8)
  expect_equal(dim(predict(label, iris[1:3, ], type = "prob")), c(3L, 3L))

  # levels that are not in the order of the alphabet, and folds that may lack one of them
  backwards <- factor(iris$Species, levels = rev(levels(iris$Species)))
  rows <- c(1:30, 51:80, 101:104)
  reversed <- caret::train(iris[rows, 1:4], backwards[rows], method = tamis_caret("search", criterion = "knn"),
                           tuneLength = 1, metric = "logLoss",
                           trControl = caret::trainControl("cv", 3, classProbs = TRUE, summaryFunction = caret::mnLogLoss))
  expect_equal(names(predict(reversed, iris[1:3, ], type = "prob")), levels(backwards))
  expect_true(reversed$results$logLoss < 0.5)
  useless <- tamis_caret("search", criterion = "knn", select_rule = "se")
  noise <- useless$fit(data.frame(a = rnorm(40), b = rnorm(40)), factor(rep(c("v", "u"), c(30, 10)), c("v", "u")), NULL,
                       data.frame(max_inputs = 2), NULL, NULL, NULL, TRUE)
  noise$model <- NULL
  share <- useless$prob(noise, data.frame(a = 1:2, b = 1:2))
  expect_equal(names(share), c("v", "u"))
  expect_equal(share$v, c(0.75, 0.75))
}
