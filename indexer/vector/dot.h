#ifndef CONTEXTURE_VECTOR_DOT_H
#define CONTEXTURE_VECTOR_DOT_H

#include <stddef.h>
#include <stdint.h>

// vector_level is the highest level vector_dot may be called with on this processor.
int vector_level(void);

// vector_dot writes the dot products of query with n rows of dims into out. No byte outside
// rows[0, n*dims), query[0, dims) and out[0, n) is touched.
void vector_dot(int level, const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out);

#endif
