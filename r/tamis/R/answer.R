# What C hands back: notes become messages, a status becomes an error with a class, and the value is returned.

status_class <- c("tamis_numeric_error", "tamis_memory_error", "tamis_system_error", "tamis_usage_error",
                  "tamis_data_error")
status_stopped <- 6L

# Sentences of the library speak of options as on the command line.
r_words <- function(sentence) {
  at <- gregexpr("--(no-)?[a-z][a-z0-9-]*", sentence)
  regmatches(sentence, at) <- lapply(regmatches(sentence, at), function(word) {
    name <- gsub("-", "_", sub("^--(no-)?", "", word))
    ifelse(startsWith(word, "--no-"), paste(name, "= FALSE"), name)
  })
  sentence
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
