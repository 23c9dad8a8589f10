// Exact dot products of int8 rows with one query. Four rows are taken together, so that the query
// is read and widened once for four and their sums are reduced in one go. The forms are chosen at
// run time: the file builds with any compiler flags for any processor.
#include "dot.h"

enum { LEVEL_PLAIN, LEVEL_AVX2, LEVEL_VNNI };

static int32_t tail(const int8_t *row, const int8_t *query, size_t from, size_t dims) {
	int32_t sum = 0;
	for (size_t j = from; j < dims; j++)
		sum += (int32_t)row[j] * (int32_t)query[j];
	return sum;
}

#if defined(__aarch64__)
#include <arm_neon.h>

static void dot_plain(const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out) {
	const size_t whole = dims & ~(size_t)15;
	for (size_t i = 0; i < n; i++, rows += dims) {
		int32x4_t low = vdupq_n_s32(0), high = vdupq_n_s32(0);
		for (size_t j = 0; j < whole; j += 16) {
			int8x16_t r = vld1q_s8(rows + j), q = vld1q_s8(query + j);
			// Widened after each product: two products of -128 by -128 overflow an int16.
			low = vpadalq_s16(low, vmull_s8(vget_low_s8(r), vget_low_s8(q)));
			high = vpadalq_s16(high, vmull_s8(vget_high_s8(r), vget_high_s8(q)));
		}
		out[i] = vaddvq_s32(vaddq_s32(low, high)) + tail(rows, query, whole, dims);
	}
}
#else
static void dot_plain(const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out) {
	for (size_t i = 0; i < n; i++, rows += dims)
		out[i] = tail(rows, query, 0, dims);
}
#endif

#if defined(__x86_64__)
#include <immintrin.h>

// sums4 is the sum of each of four vectors of eight, in order.
__attribute__((target("avx2"))) static inline __m128i sums4(__m256i a, __m256i b, __m256i c, __m256i d) {
	__m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
	return _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
}

__attribute__((target("avx2"))) static inline __m256i widen(const int8_t *p) {
	return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)p));
}

__attribute__((target("avx2")))
static void dot_avx2(const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out) {
	const size_t whole = dims & ~(size_t)15;
	size_t i = 0;
	for (; i + 4 <= n; i += 4, rows += 4 * dims) {
		const int8_t *r0 = rows, *r1 = r0 + dims, *r2 = r1 + dims, *r3 = r2 + dims;
		__m256i s0 = _mm256_setzero_si256(), s1 = s0, s2 = s0, s3 = s0;
		for (size_t j = 0; j < whole; j += 16) {
			const __m256i q = widen(query + j);
			s0 = _mm256_add_epi32(s0, _mm256_madd_epi16(widen(r0 + j), q));
			s1 = _mm256_add_epi32(s1, _mm256_madd_epi16(widen(r1 + j), q));
			s2 = _mm256_add_epi32(s2, _mm256_madd_epi16(widen(r2 + j), q));
			s3 = _mm256_add_epi32(s3, _mm256_madd_epi16(widen(r3 + j), q));
		}
		_mm_storeu_si128((__m128i *)(out + i), sums4(s0, s1, s2, s3));
		if (whole < dims) {
			out[i] += tail(r0, query, whole, dims);
			out[i + 1] += tail(r1, query, whole, dims);
			out[i + 2] += tail(r2, query, whole, dims);
			out[i + 3] += tail(r3, query, whole, dims);
		}
	}
	dot_plain(rows, n - i, dims, query, out + i);
}

#define VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")))

VNNI static inline __m256i halves(__m512i v) {
	return _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
}

// dot_vnni multiplies unsigned by signed bytes, all that the instruction has: 128 is added to each
// component of the row by flipping its top bit, and 128 times the query's sum taken off at the end.
VNNI static void dot_vnni(const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out) {
	const __m512i top = _mm512_set1_epi8((char)0x80);
	const __m512i zero = _mm512_setzero_si512();
	const size_t whole = dims & ~(size_t)63;
	const __mmask64 rest = ((__mmask64)1 << (dims - whole)) - 1;
	int32_t sum = 0;
	for (size_t j = 0; j < dims; j++)
		sum += query[j];
	const __m128i excess = _mm_set1_epi32(128 * sum);
	size_t i = 0;
#define STEP(s, q, load) s = _mm512_dpbusd_epi32(s, _mm512_xor_si512(load, top), q)
	for (; i + 4 <= n; i += 4, rows += 4 * dims) {
		const int8_t *r0 = rows, *r1 = r0 + dims, *r2 = r1 + dims, *r3 = r2 + dims;
		__m512i s0 = zero, s1 = zero, s2 = zero, s3 = zero;
		for (size_t j = 0; j < whole; j += 64) {
			const __m512i q = _mm512_loadu_si512(query + j);
			STEP(s0, q, _mm512_loadu_si512(r0 + j));
			STEP(s1, q, _mm512_loadu_si512(r1 + j));
			STEP(s2, q, _mm512_loadu_si512(r2 + j));
			STEP(s3, q, _mm512_loadu_si512(r3 + j));
		}
		if (rest) { // masked bytes are not read, and meet a zero of the query
			const __m512i q = _mm512_maskz_loadu_epi8(rest, query + whole);
			STEP(s0, q, _mm512_maskz_loadu_epi8(rest, r0 + whole));
			STEP(s1, q, _mm512_maskz_loadu_epi8(rest, r1 + whole));
			STEP(s2, q, _mm512_maskz_loadu_epi8(rest, r2 + whole));
			STEP(s3, q, _mm512_maskz_loadu_epi8(rest, r3 + whole));
		}
		__m128i sums = sums4(halves(s0), halves(s1), halves(s2), halves(s3));
		_mm_storeu_si128((__m128i *)(out + i), _mm_sub_epi32(sums, excess));
	}
#undef STEP
	dot_plain(rows, n - i, dims, query, out + i);
}

int vector_level(void) {
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2"))
		return LEVEL_PLAIN;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni"))
		return LEVEL_VNNI;
	return LEVEL_AVX2;
}
#else
int vector_level(void) { return LEVEL_PLAIN; }
#endif

void vector_dot(int level, const int8_t *rows, size_t n, size_t dims, const int8_t *query, int32_t *out) {
	switch (level) {
#if defined(__x86_64__)
	case LEVEL_VNNI:
		dot_vnni(rows, n, dims, query, out);
		return;
	case LEVEL_AVX2:
		dot_avx2(rows, n, dims, query, out);
		return;
#endif
	default:
		dot_plain(rows, n, dims, query, out);
	}
}
