// The memory functions that scanners use. A scanner frees what it allocates, so that it need not
// share the runtime's functions.
#ifndef PACKED_ALLOC_H
#define PACKED_ALLOC_H

#include <stdlib.h>

#define ts_malloc malloc
#define ts_calloc calloc
#define ts_realloc realloc
#define ts_free free

#endif
