// The loop that embedding spends its time in. It is written once, in the compiler's portable vectors
// of eight floats, and compiled twice: for the processor every build runs on, and for AVX2, chosen
// at run time.
//
// A sum is always taken lane by lane and in one order, and a product is rounded before it is added
// (no fused multiply-add: the target has none, and -std=c11 with the pragma keep the compiler from
// making one), so that both forms, and the one in Go, give the same bits.
#include "kernel.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef float f8 __attribute__((vector_size(32)));
typedef float f8u __attribute__((vector_size(32), aligned(4), may_alias));
typedef int8_t b8u __attribute__((vector_size(8), aligned(1), may_alias));

#define STORE(p, v) (*(f8u *)(p) = (v))
#define BYTES(p) __builtin_convertvector(*(const b8u *)(p), f8)
#define SPLAT(x) ((f8){(x), (x), (x), (x), (x), (x), (x), (x)})

enum { AHEAD = 4 };

#define PARAMS                                                                                             \
	float *out, size_t rows, const uint32_t *starts, const uint32_t *index, const float *value,        \
		const int8_t *table, size_t lanes
#define ARGS out, rows, starts, index, value, table, lanes

// fold keeps eight accumulators in registers over a row's entries, and the rows AHEAD are on their
// way from memory meanwhile.
static inline __attribute__((always_inline)) void fold(PARAMS) {
	for (size_t r = 0; r < rows; r++, out += lanes) {
		const size_t from = starts[r], to = starts[r + 1];
		size_t t = 0;
		for (; t + 64 <= lanes; t += 64) {
			f8 a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, a4 = {0}, a5 = {0}, a6 = {0}, a7 = {0};
			for (size_t p = from; p < to; p++) {
				const int8_t *x = table + (size_t)index[p] * lanes + t;
				if (p + AHEAD < to)
					__builtin_prefetch(table + (size_t)index[p + AHEAD] * lanes + t);
				const f8 w = SPLAT(value[p]);
				a0 += w * BYTES(x), a1 += w * BYTES(x + 8);
				a2 += w * BYTES(x + 16), a3 += w * BYTES(x + 24);
				a4 += w * BYTES(x + 32), a5 += w * BYTES(x + 40);
				a6 += w * BYTES(x + 48), a7 += w * BYTES(x + 56);
			}
			STORE(out + t, a0), STORE(out + t + 8, a1), STORE(out + t + 16, a2), STORE(out + t + 24, a3);
			STORE(out + t + 32, a4), STORE(out + t + 40, a5), STORE(out + t + 48, a6), STORE(out + t + 56, a7);
		}
		for (; t < lanes; t += 8) {
			f8 a = {0};
			for (size_t p = from; p < to; p++)
				a += SPLAT(value[p]) * BYTES(table + (size_t)index[p] * lanes + t);
			STORE(out + t, a);
		}
	}
}

static void plain(PARAMS) { fold(ARGS); }

#if defined(__x86_64__)
int kernel_level(void) {
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? 1 : 0;
}
__attribute__((target("avx2")))
#else
int kernel_level(void) { return 0; }
#endif
static void wide(PARAMS) { fold(ARGS); }

void kernel_fold(int level, PARAMS) { (level > 0 ? wide : plain)(ARGS); }
