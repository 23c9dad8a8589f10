#ifndef CONTEXTURE_EMBED_KERNEL_H
#define CONTEXTURE_EMBED_KERNEL_H

#include <stddef.h>
#include <stdint.h>

// kernel_level is the highest level the kernels below may be called with on this processor.
int kernel_level(void);

// kernel_gather: row r of out is the sum over p in [starts[r], starts[r+1]) of value[p] times row
// index[p] of dense, in order of p. lanes, the length of a row, is a multiple of 8.
void kernel_gather(int level, float *out, size_t rows, const uint32_t *starts, const uint32_t *index,
                   const float *value, const float *dense, size_t lanes);

// kernel_fold is kernel_gather on a table of int8.
void kernel_fold(int level, float *out, size_t rows, const uint32_t *starts, const uint32_t *index,
                 const float *value, const int8_t *table, size_t lanes);

// kernel_gram adds transpose(a)·a of the n rows of a to g: the strips of four rows of g numbered
// first, first+step, …, each from its own multiple of eight rightwards.
void kernel_gram(int level, double *g, const float *a, size_t n, size_t lanes, size_t first, size_t step);

// kernel_multiply writes the n rows of a, each of la, times m (la by lb) to out, n rows of lb. out may
// be a when lb <= la. scratch holds 64*lb floats; la is any number, lb a multiple of 8.
void kernel_multiply(int level, float *out, const float *a, size_t n, size_t la, const float *m, size_t lb,
                     float *scratch);

#endif
