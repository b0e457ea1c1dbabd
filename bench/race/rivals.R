# What R users would use instead, in the usual way: caret, kernlab, glmnet, ranger. One program per process.
#     Rscript rivals.R NAME train.csv test.csv
# The last line is JSON: cpu and wall without the start of R and the packages; selected (if it selects); test: mean
# squared error of the test rows over the variance of the training target.
arguments <- commandArgs(trailingOnly = TRUE)
cores <- as.integer(Sys.getenv("TAMIS_CORES", "1"))
set.seed(1)

# Each returns list(predict = function(new), selected = names or NULL).
glmnet_1se <- function(x, y) {
    fit <- glmnet::cv.glmnet(x, y)
    weight <- as.matrix(coef(fit, s = "lambda.1se"))[-1, 1]
    list(predict = function(new) as.numeric(predict(fit, new, s = "lambda.1se")), selected = names(weight)[weight != 0])
}

# Permutation p-values below 0.05, then a forest on these.
ranger_altmann <- function(x, y) {
    table <- data.frame(x, y = y)
    fit <- ranger::ranger(y ~ ., table, importance = "permutation", num.threads = cores, seed = 1)
    p <- ranger::importance_pvalues(fit, method = "altmann", num.permutations = 50, formula = y ~ ., data = table,
                                    num.threads = cores)
    keep <- rownames(p)[p[, "pvalue"] < 0.05]
    if (length(keep) == 0)
        return(list(predict = function(new) rep(mean(y), nrow(new)), selected = character(0)))
    again <- ranger::ranger(y ~ ., table[, c(keep, "y")], num.threads = cores, seed = 1)
    list(predict = function(new) predict(again, data.frame(new), num.threads = cores)$predictions, selected = keep)
}

# A hundred trees, as in RFECV.
caret_rfe <- function(x, y) {
    control <- caret::rfeControl(functions = caret::rfFuncs, method = "cv", number = 5)
    fit <- caret::rfe(data.frame(x), y, sizes = seq_len(ncol(x)), ntree = 100, rfeControl = control)
    list(predict = function(new) as.numeric(predict(fit, data.frame(new))), selected = caret::predictors(fit))
}

# Support vector machine from kernlab over caret's grid; all inputs.
kernlab_svm <- function(x, y) {
    control <- caret::trainControl(method = "cv", number = 5)
    fit <- caret::train(x, y, method = "svmRadial", tuneLength = 10, trControl = control)
    list(predict = function(new) as.numeric(predict(fit, new)), selected = NULL)
}

programs <- list(glmnet = list("glmnet", glmnet_1se), ranger = list("ranger", ranger_altmann),
                 "caret-rfe" = list(c("caret", "randomForest"), caret_rfe),
                 kernlab = list(c("caret", "kernlab"), kernlab_svm))
mine <- programs[[arguments[1]]]
for (package in mine[[1]]) suppressPackageStartupMessages(library(package, character.only = TRUE))
read <- function(path) as.matrix(read.csv(path, check.names = FALSE))
began <- proc.time()
train <- read(arguments[2])
test <- read(arguments[3])
d <- ncol(train) - 1
colnames(train) <- colnames(test) <- c(paste0("v", seq_len(d)), "y")
names_of <- setNames(scan(arguments[2], "", nlines = 1, sep = ",", quiet = TRUE)[seq_len(d)], paste0("v", seq_len(d)))
mean_of <- colMeans(train)
sd_of <- apply(train, 2, function(v) sqrt(mean((v - mean(v))^2)))
sd_of[sd_of == 0] <- 1
train <- scale(train, mean_of, sd_of)
test <- scale(test, mean_of, sd_of)
answer <- suppressWarnings(mine[[2]](train[, seq_len(d), drop = FALSE], train[, d + 1]))
error <- mean((answer$predict(test[, seq_len(d), drop = FALSE]) - test[, d + 1])^2)
used <- proc.time() - began
quoted <- "null"
if (!is.null(answer$selected)) {
    chosen <- paste0('"', unname(names_of[answer$selected]), '"', recycle0 = TRUE, collapse = ", ")
    quoted <- paste0("[", chosen, "]")
}
cat(sprintf('{"cpu": %.4f, "wall": %.4f, "test": %.10g, "selected": %s}\n',
            sum(used[c(1, 2, 4, 5)]), used[3], error, quoted))
