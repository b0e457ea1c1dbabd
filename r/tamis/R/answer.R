# What C hands back: notes become messages, a status becomes an error with a class, and the value is returned.

status_class <- c("tamis_numeric_error", "tamis_memory_error", "tamis_system_error", "tamis_usage_error",
                  "tamis_data_error")
status_stopped <- 6L

# Sentences of the library speak of commands and of options as on the command line: --outer 5 is outer = 5 here.
r_words <- function(sentence) {
  sentence <- sub("add --keep .*$", "name them in the formula or by keep", sentence)
  for (command in names(r_calls)) sentence <- gsub(command, r_calls[[command]], sentence, fixed = TRUE)
  at <- gregexpr("--(no-)?[a-z][a-z0-9-]*( [a-z0-9.-]*[a-z0-9])?", sentence)
  regmatches(sentence, at) <- lapply(regmatches(sentence, at), function(words) vapply(words, r_option, ""))
  sentence
}

r_calls <- c("'tamis methods'" = "tamis_methods()", "'tamis select --help'" = "tamis_options()",
             "'tamis select --model FILE'" = "save_tamis()", "'tamis export FILE'" = "tamis_export()")

# "--impute median" where median is a value of that option, "--impute keeps" where it is the next word.
r_option <- function(words) {
  word <- sub(" .*", "", words)
  rest <- substring(words, nchar(word) + 1L)
  name <- gsub("-", "_", sub("^--(no-)?", "", word))
  if (startsWith(word, "--no-")) return(paste0(name, " = FALSE", rest))
  value <- substring(rest, 2L)
  if (grepl("^[0-9.]+$", value)) return(paste(name, "=", value))
  if (value %in% option_choices(name)) return(sprintf("%s = \"%s\"", name, value))
  paste0(name, rest)
}

option_choices <- function(name) {
  rows <- .Call(C_options)
  mine <- vapply(rows, function(row) gsub("-", "_", row[["name"]]) == name, NA)
  unlist(strsplit(vapply(rows[mine], `[[`, "", "choices"), "|", fixed = TRUE))
}

tamis_stop <- function(sentence, class = "tamis_usage_error", call = NULL) {
  stop(structure(class = c(class, "tamis_error", "error", "condition"),
                 list(message = r_words(sentence), call = call)))
}

tamis_note <- function(sentence) {
  message(structure(class = c("tamis_note", "message", "condition"),
                    list(message = paste0("tamis: ", r_words(sentence), "\n"), call = NULL)))
}

# As R does when it is interrupted; the library has freed everything by now.
interrupted <- function() {
  signalCondition(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL)))
  invokeRestart("abort")
}

take <- function(answer, quiet = FALSE) {
  if (!quiet) for (sentence in answer$notes) tamis_note(sentence)
  if (answer$status == status_stopped) interrupted()
  if (answer$status != 0L) tamis_stop(answer$sentence, status_class[answer$status])
  answer$value
}

file_name <- function(file) {
  if (!is.character(file) || length(file) != 1L || is.na(file)) tamis_stop("file has to be the name of one file")
  path.expand(file)
}

write_text <- function(text, file) {
  failed <- function(condition) tamis_stop(sprintf("%s: cannot be written", file), "tamis_system_error")
  file <- file_name(file)
  tryCatch(writeLines(text, file, sep = "", useBytes = TRUE), warning = failed, error = failed)
  invisible(text)
}
