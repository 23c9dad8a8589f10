#ifndef CONTEXTURE_EMBED_KERNEL_H
#define CONTEXTURE_EMBED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

// kernel_level is the highest level kernel_fold may be called with on this processor.
int kernel_level(void);

// kernel_fold: row r of out is the sum over p in [starts[r], starts[r+1]) of value[p] times row
// index[p] of table, in order of p. lanes, the length of a row, is a multiple of 8.
void kernel_fold(int level, float *out, size_t rows, const uint32_t *starts, const uint32_t *index,
                 const float *value, const int8_t *table, size_t lanes);

#endif
