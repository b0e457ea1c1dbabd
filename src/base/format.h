/* Text from numbers and numbers from text as in the C locale, whatever locale the host has set for the process
 * (setlocale) or for this thread (uselocale). The library calls no other printf or scanf. */
#ifndef TAMIS_FORMAT_H
#define TAMIS_FORMAT_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include "base/base.h"

/* As snprintf and vsnprintf, with a point as the decimal mark. */
int tamis_snprintf(char *to, size_t room, const char *format, ...) TAMIS_PRINTF(3, 4);
int tamis_vsnprintf(char *to, size_t room, const char *format, va_list ap) TAMIS_PRINTF(3, 0);

/* Around a call of another library that formats or parses numbers: the C locale for this thread, and back. */
locale_t tamis_locale_plain(void);
void tamis_locale_restore(locale_t before);

#endif
