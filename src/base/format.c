/* printf in the C locale: uselocale changes this thread alone, and the C locale is an object that the system's library
 * always has, so that nothing is allocated or kept. */
#include <stdio.h>
#include "base/format.h"

locale_t tamis_locale_plain(void)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return plain ? uselocale(plain) : (locale_t)0;
}

void tamis_locale_restore(locale_t before)
{
    if (!before) return;
    locale_t plain = uselocale(before);
    freelocale(plain);
}

int tamis_vsnprintf(char *to, size_t room, const char *format, va_list ap)
{
    locale_t before = tamis_locale_plain();
    int n = vsnprintf(to, room, format, ap);
    tamis_locale_restore(before);
    return n;
}

int tamis_snprintf(char *to, size_t room, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = tamis_vsnprintf(to, room, format, ap);
    va_end(ap);
    return n;
}
