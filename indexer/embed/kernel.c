// The four loops that training and folding spend their time in. Each is written once, in the
// compiler's portable vectors of eight floats, and compiled twice: for the processor every build
// runs on, and for AVX2, chosen at run time.
//
// A sum is always taken lane by lane and in one order, and a product is rounded before it is added
// (no fused multiply-add: the target has none, and -std=c11 with the pragma keep the compiler from
// making one), so that all forms, and the ones in Go, give the same bits.
#include "kernel.h"

#include <string.h>

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef float f8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef int8_t b8u __attribute__((vector_size(8), aligned(1), may_alias));

#define LOAD(p) (*(const f8u *)(p))
#define STORE(p, v) (*(f8u *)(p) = (v))
#define BYTES(p) __builtin_convertvector(*(const b8u *)(p), f8)
#define SPLAT(x) ((f8){(x), (x), (x), (x), (x), (x), (x), (x)})

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK_GRAM = 256, BLOCK_MULTIPLY = 64, AHEAD = 4 };

// SPARSE is the body of gather and fold: eight accumulators stay in registers over a row's entries,
// and the rows AHEAD are on their way from memory meanwhile.
#define SPARSE(TYPE, GET)                                                                             \
	for (size_t r = 0; r < rows; r++, out += lanes) {                                             \
		const size_t from = starts[r], to = starts[r + 1];                                    \
		size_t t = 0;                                                                         \
		for (; t + 64 <= lanes; t += 64) {                                                    \
			f8 a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, a4 = {0}, a5 = {0}, a6 = {0}, a7 = {0}; \
			for (size_t p = from; p < to; p++) {                                          \
				const TYPE *x = table + (size_t)index[p] * lanes + t;                 \
				if (p + AHEAD < to) {                                                 \
					const char *next =                                            \
						(const char *)(table + (size_t)index[p + AHEAD] * lanes + t); \
					for (size_t b = 0; b < 64 * sizeof(TYPE); b += 64)            \
						__builtin_prefetch(next + b);                         \
				}                                                                     \
				const f8 w = SPLAT(value[p]);                                         \
				a0 += w * GET(x), a1 += w * GET(x + 8);                               \
				a2 += w * GET(x + 16), a3 += w * GET(x + 24);                         \
				a4 += w * GET(x + 32), a5 += w * GET(x + 40);                         \
				a6 += w * GET(x + 48), a7 += w * GET(x + 56);                         \
			}                                                                             \
			STORE(out + t, a0), STORE(out + t + 8, a1);                                   \
			STORE(out + t + 16, a2), STORE(out + t + 24, a3);                             \
			STORE(out + t + 32, a4), STORE(out + t + 40, a5);                             \
			STORE(out + t + 48, a6), STORE(out + t + 56, a7);                             \
		}                                                                                     \
		for (; t < lanes; t += 8) {                                                           \
			f8 a = {0};                                                                   \
			for (size_t p = from; p < to; p++) {                                          \
				const f8 w = SPLAT(value[p]);                                         \
				a += w * GET(table + (size_t)index[p] * lanes + t);                   \
			}                                                                             \
			STORE(out + t, a);                                                            \
		}                                                                                     \
	}

INLINE void gather(float *out, size_t rows, const uint32_t *starts, const uint32_t *index, const float *value,
                   const float *table, size_t lanes) {
	SPARSE(float, LOAD)
}

INLINE void fold(float *out, size_t rows, const uint32_t *starts, const uint32_t *index, const float *value,
                 const int8_t *table, size_t lanes) {
	SPARSE(int8_t, BYTES)
}

INLINE void add8(double *g, const f8 *v) {
	for (int k = 0; k < 8; k++)
		g[k] += (double)(*v)[k];
}

// gram sums a block of rows in float32, few enough that rounding stays small, and the blocks in
// float64.
INLINE void gram(double *g, const float *a, size_t n, size_t lanes, size_t first, size_t step) {
	for (size_t block = 0; block < n; block += BLOCK_GRAM) {
		const size_t rows = n - block < BLOCK_GRAM ? n - block : BLOCK_GRAM;
		const float *top = a + block * lanes;
		for (size_t i = 4 * first; i < lanes; i += 4 * step) {
			size_t j = i & ~(size_t)7;
			for (; j + 16 <= lanes; j += 16) {
				f8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, s4 = {0}, s5 = {0}, s6 = {0}, s7 = {0};
				const float *row = top;
				for (size_t r = 0; r < rows; r++, row += lanes) {
					const f8 x = LOAD(row + j), y = LOAD(row + j + 8);
					const f8 c0 = SPLAT(row[i]), c1 = SPLAT(row[i + 1]);
					s0 += c0 * x, s1 += c0 * y, s2 += c1 * x, s3 += c1 * y;
					const f8 c2 = SPLAT(row[i + 2]), c3 = SPLAT(row[i + 3]);
					s4 += c2 * x, s5 += c2 * y, s6 += c3 * x, s7 += c3 * y;
				}
				double *to = g + i * lanes + j;
				add8(to, &s0), add8(to + 8, &s1);
				add8(to + lanes, &s2), add8(to + lanes + 8, &s3);
				add8(to + 2 * lanes, &s4), add8(to + 2 * lanes + 8, &s5);
				add8(to + 3 * lanes, &s6), add8(to + 3 * lanes + 8, &s7);
			}
			for (; j < lanes; j += 8) {
				f8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
				const float *row = top;
				for (size_t r = 0; r < rows; r++, row += lanes) {
					const f8 x = LOAD(row + j);
					s0 += SPLAT(row[i]) * x, s1 += SPLAT(row[i + 1]) * x;
					s2 += SPLAT(row[i + 2]) * x, s3 += SPLAT(row[i + 3]) * x;
				}
				double *to = g + i * lanes + j;
				add8(to, &s0), add8(to + lanes, &s1), add8(to + 2 * lanes, &s2), add8(to + 3 * lanes, &s3);
			}
		}
	}
}

INLINE void multiply(float *out, const float *a, size_t n, size_t la, const float *m, size_t lb, float *scratch) {
	for (size_t block = 0; block < n; block += BLOCK_MULTIPLY) {
		const size_t rows = n - block < BLOCK_MULTIPLY ? n - block : BLOCK_MULTIPLY;
		for (size_t j = 0; j < lb; j += 8) { // eight columns of m stay in the first cache
			size_t r = 0;
			for (; r + 4 <= rows; r += 4) {
				const float *r0 = a + (block + r) * la, *r1 = r0 + la, *r2 = r1 + la, *r3 = r2 + la;
				f8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
				for (size_t i = 0; i < la; i++) {
					const f8 x = LOAD(m + i * lb + j);
					s0 += SPLAT(r0[i]) * x, s1 += SPLAT(r1[i]) * x;
					s2 += SPLAT(r2[i]) * x, s3 += SPLAT(r3[i]) * x;
				}
				float *to = scratch + r * lb + j;
				STORE(to, s0), STORE(to + lb, s1), STORE(to + 2 * lb, s2), STORE(to + 3 * lb, s3);
			}
			for (; r < rows; r++) {
				const float *row = a + (block + r) * la;
				f8 s = {0};
				for (size_t i = 0; i < la; i++)
					s += SPLAT(row[i]) * LOAD(m + i * lb + j);
				STORE(scratch + r * lb + j, s);
			}
		}
		memcpy(out + block * lb, scratch, rows * lb * sizeof(float));
	}
}

#if defined(__x86_64__)
int kernel_level(void) {
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? 1 : 0;
}
#define AVX2 __attribute__((target("avx2")))
#else
int kernel_level(void) { return 0; }
#define AVX2
#endif

// FORMS makes the two compiled forms of a body and the function that chooses.
#define FORMS(NAME, PARAMS, ARGS)                                  \
	static void NAME##_plain PARAMS { NAME ARGS; }             \
	AVX2 static void NAME##_wide PARAMS { NAME ARGS; }

#define SPARSE_PARAMS(TYPE)                                                                                \
	(float *out, size_t rows, const uint32_t *starts, const uint32_t *index, const float *value,       \
	 const TYPE *table, size_t lanes)
#define SPARSE_ARGS (out, rows, starts, index, value, table, lanes)

FORMS(gather, SPARSE_PARAMS(float), SPARSE_ARGS)
FORMS(fold, SPARSE_PARAMS(int8_t), SPARSE_ARGS)
FORMS(gram, (double *g, const float *a, size_t n, size_t lanes, size_t first, size_t step),
      (g, a, n, lanes, first, step))
FORMS(multiply, (float *out, const float *a, size_t n, size_t la, const float *m, size_t lb, float *scratch),
      (out, a, n, la, m, lb, scratch))

void kernel_gather(int level, float *out, size_t rows, const uint32_t *starts, const uint32_t *index,
                   const float *value, const float *table, size_t lanes) {
	(level > 0 ? gather_wide : gather_plain) SPARSE_ARGS;
}

void kernel_fold(int level, float *out, size_t rows, const uint32_t *starts, const uint32_t *index,
                 const float *value, const int8_t *table, size_t lanes) {
	(level > 0 ? fold_wide : fold_plain) SPARSE_ARGS;
}

void kernel_gram(int level, double *g, const float *a, size_t n, size_t lanes, size_t first, size_t step) {
	(level > 0 ? gram_wide : gram_plain)(g, a, n, lanes, first, step);
}

void kernel_multiply(int level, float *out, const float *a, size_t n, size_t la, const float *m, size_t lb,
                     float *scratch) {
	(level > 0 ? multiply_wide : multiply_plain)(out, a, n, la, m, lb, scratch);
}
