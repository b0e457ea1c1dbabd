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
}
