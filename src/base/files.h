/* Files that appear whole or not at all; tamis.h has the same piece by piece. */
#ifndef TAMIS_FILES_H
#define TAMIS_FILES_H

#include "base/base.h"

int tamis_file_write(tamis_context *cx, const char *path, const void *bytes, size_t n);

#endif
