# The formula and the (x, y) interface, kinds of columns, weights, groups, seeds, options and errors.
quick <- function(...) {
  call <- match.call()
  call[[1]] <- quote(tamis)
  call[c("method", "criterion", "evidence", "quiet")] <- list("search", "knn", FALSE, TRUE)
  eval(call, parent.frame())
}

set.seed(5)
n <- 90
d <- data.frame(a = rnorm(n), b = rnorm(n), f = factor(sample(c("u", "v", "w"), n, TRUE)), l = runif(n) > 0.5,
                o = factor(sample(1:4, n, TRUE), ordered = TRUE), when = as.Date("2024-01-01") + sample(400, n, TRUE))
d$y <- 3 * d$a + 2 * (d$f == "v") + rnorm(n, sd = 0.1)

# both interfaces are the same run
one <- quick(y ~ a + b + f, d, seed = 1)
two <- quick(d[c("a", "b", "f")], d$y, seed = 1)
expect_equal(selected(one), selected(two))
expect_identical(one$result$error, two$result$error)
expect_true(all(c("a", "f") %in% selected(one)))
expect_identical(quick(d[c("a", "b", "f", "y")], "y", seed = 1)$result$error, one$result$error)
expect_identical(quick(y ~ . - l - o - when, d, seed = 1)$result$error, one$result$error)

# a matrix, with and without names
m <- as.matrix(d[c("a", "b")])
expect_equal(selected(quick(m, d$y)), "a")
expect_equal(selected(quick(unname(m), d$y)), "x1")
expect_equal(predict(quick(m, d$y, seed = 1), m[1:3, ]), predict(quick(y ~ a + b, d, seed = 1), d[1:3, ]),
             check.attributes = FALSE)

# functions of columns, in inputs and target
e <- transform(d, p = exp(a), q = exp(y / 10))
trans <- quick(log(q) ~ log(p) + b, e)
expect_equal(selected(trans), "log(p)")
expect_equal(length(predict(trans, e[1:4, ])), 4L)
expect_equal(length(predict(trans, e[1:4, "p", drop = FALSE])), 4L)      # unselected inputs are not needed

# dates are left out with a message unless they are named; ordered factors and truth values are numbers
expect_message(tamis(y ~ ., d, method = "search", criterion = "knn", evidence = FALSE), "when", class = "tamis_note")
expect_true("when" %in% as.data.frame(quick(y ~ a + when, d))$name)
expect_false("when" %in% as.data.frame(quick(y ~ ., d))$name)
expect_true(all(c("when.month", "l", "o") %in% as.data.frame(quick(y ~ ., d, dates = "parts"))$name))
d$stamp <- as.POSIXct(d$when) + 3600
expect_true("stamp" %in% as.data.frame(quick(y ~ a + stamp, d))$name)

# missing values: rows are left out with a message, or filled in
gaps <- d
gaps$a[1:5] <- NA
gaps$f[7] <- NA
expect_message(tamis(y ~ a + b + f, gaps, method = "search", criterion = "knn"), class = "tamis_note")
expect_equal(quick(y ~ a + b + f, gaps)$result$data$rows_dropped, 6)
filled <- quick(y ~ a + b + f, gaps, impute = "median")
expect_equal(filled$result$data$rows_dropped, 0)
expect_false(anyNA(predict(filled, gaps)))
expect_equal(which(is.na(predict(quick(y ~ a + b, gaps), gaps))), 1:5)

# a weight of 2 is a row twice, a weight of 0 no row; groups stay together
w <- rep(c(0, 1, 2), length.out = n)
weighted <- quick(y ~ a + b, d, weights = w, seed = 3)
expect_equal(weighted$result$error$selected, quick(y ~ a + b, d[rep(seq_len(n), w), ], seed = 3)$result$error$selected)
d$w <- w
expect_identical(quick(y ~ a + b, d, weights = w, seed = 3)$result$error, weighted$result$error)
expect_error(quick(d["a"], d$y, weights = 1:3), "weights", class = "tamis_data_error")
grouped <- tamis(y ~ a + b, d, method = "lssvm", groups = f, seed = 1, quiet = TRUE, sigma2 = 10, gamma = 10, folds = 3)
expect_false(identical(grouped$result$error$selected,
                       update(grouped, groups = NULL)$result$error$selected))

# set.seed rules
run <- function() tamis(y ~ a + b, d, method = "opelm", quiet = TRUE)$result
same <- function(x) x[setdiff(names(x), c("seconds", "threads"))]
set.seed(1); first <- run()
set.seed(1); again <- run()
other <- run()
expect_identical(same(first), same(again))
expect_false(first$seed == other$seed)
expect_identical(same(tamis(y ~ a + b, d, method = "opelm", quiet = TRUE, seed = 7, threads = 2)$result),
                 same(tamis(y ~ a + b, d, method = "opelm", quiet = TRUE, seed = 7)$result))

# options: dots, underscores, numbers, grids, names; errors with classes
expect_equal(length(selected(quick(y ~ ., d, max_inputs = 1))), 1L)
expect_equal(length(selected(quick(y ~ ., d, max.inputs = 1))), 1L)
expect_true(all(c("b", "l") %in% selected(quick(y ~ a + b + l, d, must = c("b", "l")))))
grid <- tamis(y ~ a + b, d, method = "lssvm", sigma2 = c(1, 10, 2), gamma = c(1, 10, 2), seed = 1, quiet = TRUE)
expect_identical(same(tamis(y ~ a + b, d, method = "lssvm", sigma2 = "1:10:2", gamma = "1:10:2", seed = 1,
                            quiet = TRUE)$result), same(grid$result))
expect_error(quick(y ~ a, d, max_inptus = 1), "max_inptus.*did you mean max_inputs", class = "tamis_usage_error")
expect_error(quick(y ~ a, d, 5), class = "tamis_error")
expect_error(tamis(y ~ a, d, method = "none"), class = "tamis_usage_error")
expect_error(quick(y ~ a:b, d), "interactions", class = "tamis_usage_error")
expect_error(quick(~ a, d), "target", class = "tamis_usage_error")
expect_error(quick(list(a = 1), 1))
expect_error(quick(data.frame(a = complex(3)), 1:3), class = "tamis_data_error")
expect_error(quick(d["a"], d$y[1:5]), "90 rows", class = "tamis_data_error")
expect_error(load_tamis(tempfile()), class = "tamis_error")

# rows for testing
tested <- quick(y ~ a + b, d[1:60, ], test = d[61:90, ])
expect_equal(tested$result$data$test_rows, 30)
expect_equal(tested$result$error$test,
             mean((predict(tested, d[61:90, ]) - d$y[61:90])^2) / mean((d$y[1:60] - mean(d$y[1:60]))^2))
expect_identical(quick(d[1:60, c("a", "b")], d$y[1:60], test = d[61:90, ])$result$data$test_rows, 30)

# several targets
several <- tamis(cbind(y, z = 2 * a) ~ a + b, d, method = "search", criterion = "knn", quiet = TRUE)
expect_equal(dim(predict(several, d[1:3, ])), c(3L, 2L))
expect_equal(dim(residuals(several)), c(n, 2L))

# nothing to select
none <- quick(x = data.frame(a = rnorm(40), b = rnorm(40)), y = rnorm(40), select_rule = "se")
if (!length(selected(none))) expect_equal(length(unique(predict(none, d))), 1L)
expect_stdout(print(none), "inputs")

# roles named in a formula with a dot, what newdata needs, and columns that only R knows
d$id <- rep(1:30, 3)
with_groups <- quick(y ~ . - l - o - when - stamp, d, groups = id, weights = w)
expect_false(any(c("id", "w", "l") %in% as.data.frame(with_groups)$name))
expect_equal(length(predict(with_groups, d[1:3, c("a", "b", "f")])), 3L)
expect_true("id" %in% as.data.frame(quick(y ~ a + id, d, groups = id))$name)
spaced <- quick(y ~ a + `two words`, transform(d, `two words` = b, check.names = FALSE))
expect_true("two words" %in% as.data.frame(spaced)$name)
expect_equal(length(predict(quick(y ~ poly(a, 2) + b, d), d[1:4, ])), 4L)
expect_error(quick(y ~ a, d, weights = -w), "weight", class = "tamis_data_error")

# na.action and subset, as in lm
expect_error(quick(y ~ a + b, gaps, na.action = na.fail), "missing")
expect_equal(length(fitted(quick(y ~ a + b, gaps, na.action = na.omit))), n - 5L)
excluded <- quick(y ~ a + b, gaps, na.action = na.exclude)
expect_equal(which(is.na(residuals(excluded))), 1:5)
expect_equal(length(predict(excluded)), n)
expect_equal(length(fitted(quick(y ~ a + b, d, subset = a > 0))), sum(d$a > 0))
expect_error(quick(d["a"], d$y, subset = 1:9), "formula interface", class = "tamis_usage_error")
expect_error(quick(y ~ a + offset(b), d), "offsets", class = "tamis_usage_error")
expect_error(quick(y ~ 1, d), "no inputs", class = "tamis_usage_error")
expect_message(tamis(y ~ a + b - 1, d, method = "lars"), "constant", class = "tamis_note")

# an ordered factor keeps its numbers in tables that lack some of its levels
graded <- quick(y ~ a + o, d, must = "o")
last <- which(d$o == 4)[1:2]
expect_equal(predict(graded, transform(d[last, ], o = droplevels(o))), predict(graded, d)[last], check.attributes = FALSE)
expect_error(predict(graded, transform(d[1:2, ], o = factor(c("1", "9"), ordered = TRUE))), "'9'", class = "tamis_data_error")

# sentences of the library in the words of R
expect_error(tamis(y ~ a, d, method = "none"), "tamis_methods\\(\\)")
expect_message(tamis(y ~ a + b, gaps, method = "lars"), 'impute = "median"')
expect_error(quick(d["a"]), "target", class = "tamis_usage_error")
expect_error(quick(d, y ~ a), "comes first", class = "tamis_usage_error")

# times as targets are numbers, as in lm(); a difference keeps its units, also where the rows for testing have others
spans <- transform(d, span = as.difftime(5 * a, units = "hours"), start = as.POSIXct(when) + 60 * a)
hours <- quick(span ~ a + b, spans, seed = 1)
plain <- quick(span ~ a + b, transform(spans, span = as.double(span)), seed = 1)
expect_equal(predict(hours, spans), predict(plain, spans))
expect_equal(residuals(hours), residuals(plain))
minutes <- spans
units(minutes$span) <- "mins"
expect_equal(quick(span ~ a + b, spans, test = minutes, seed = 1)$result$error$test,
             quick(span ~ a + b, spans, test = spans, seed = 1)$result$error$test)
for (name in c("when", "start")) {
  fit <- quick(spans[c("a", "b")], spans[[name]])
  expect_true(is.double(residuals(fit)))
  expect_equal(residuals(fit), as.double(spans[[name]]) - predict(fit, spans), check.attributes = FALSE)
}
expect_equal(predict(quick(d["a"], as.POSIXlt(spans$start), seed = 1)), predict(quick(d["a"], spans$start, seed = 1)))
# differences of time as inputs are the same in any units
after <- data.frame(span = spans$span, b = d$b)
by_span <- quick(after, d$y, must = "span")
expect_equal(predict(by_span, data.frame(span = minutes$span, b = d$b)), fitted(by_span), check.attributes = FALSE)

# I(), matrices, addNA, lists, arrays
odd <- d["a"]
odd$f <- I(as.character(d$f))
odd$m <- I(matrix(d$b, n, 2, dimnames = list(NULL, c("p", "q"))))
marked <- quick(odd, d$y, seed = 1)
expect_equal(as.data.frame(marked)$name[1:3], c("a", "f", "m.p"))
expect_equal(predict(marked, odd), fitted(marked), check.attributes = FALSE)
expect_true("f" %in% selected(marked))
expect_equal(predict(quick(y ~ I(as.character(f)) + a, d, seed = 1), d[1:5, ]),
             predict(quick(y ~ f + a, d, seed = 1), d[1:5, ]))
unknown <- transform(d, f = addNA(replace(f, f == "v", NA)))
known <- quick(y ~ a + f, unknown)
expect_equal(known$result$data$rows_dropped, 0)
expect_false(anyNA(predict(known, unknown)))
odd$l <- as.list(d$a)
expect_error(quick(odd, d$y), "'l' is of class list", class = "tamis_data_error")
expect_error(quick(d["a"], as.list(d$y)), "class list", class = "tamis_data_error")
expect_error(predict(quick(d["a"], d$y), list(a = 1)), "not list", class = "tamis_data_error")
expect_error(predict(quick(y ~ a, d), 1:3), class = "error")
expect_equal(predict(quick(y ~ a + b, d, seed = 1), m[1:3, ]), predict(quick(y ~ a + b, d, seed = 1), d[1:3, ]),
             check.attributes = FALSE)
expect_error(quick(array(1:8, c(2, 2, 2)), 1:2), "not array", class = "tamis_data_error")
expect_error(quick(NULL, d$y), "not NULL", class = "tamis_data_error")
expect_equal(selected(quick(array(d$a), d$y)), "x1")

# weights and groups of the wrong kind or length
expect_error(quick(d["a"], d$y, weights = rep("x", n)), "weights: numbers", class = "tamis_data_error")
expect_error(quick(d["a"], d$y, weights = d["b"]), "weights: numbers", class = "tamis_data_error")
expect_error(quick(d["a"], d$y, groups = as.list(1:n)), "groups: a vector", class = "tamis_data_error")
expect_error(quick(d["a"], d$y, groups = 1:3), "groups: 3 values", class = "tamis_data_error")
expect_error(tamis_compare(d["a"], y = d$y, weights = 1), "weights: 1 values", class = "tamis_data_error")
