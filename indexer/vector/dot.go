package vector

// maxDims bounds a row so that its dot product, at most dims × 128², stays within an int32.
const maxDims = 1<<17 - 1

// Dot writes into out[i] the dot product of query[:dims] with the i-th row of rows, for the
// len(rows)/dims whole rows; it ignores the rest of rows. The result is exact for all int8 values
// and equal on every machine and in every build.
//
// dims may be anything up to 131,071; multiples of 32 are fastest. Dot panics if dims is larger or
// if query or out is too short. It does nothing if dims is not positive. It does not allocate, and
// occupies its thread for the whole scan (about 12 ms for a million rows of 384), so a caller that
// wants to cancel must split the rows into blocks.
func Dot(rows []int8, dims int, query []int8, out []int32) {
	if dims <= 0 {
		return
	}
	if dims > maxDims {
		panic("vector: dims above 131071")
	}
	n := len(rows) / dims
	if n == 0 {
		return
	}
	dotAt(bestLevel, rows[:n*dims], query[:dims], out[:n])
}

// dotGo is the reference that every other form must equal, and the only form without cgo.
func dotGo(rows, query []int8, out []int32) {
	dims := len(query)
	for i := range out {
		row := rows[i*dims:][:dims]
		var a, b int32
		j := 0
		for ; j+4 <= len(row); j += 4 {
			r, q := row[j:j+4:j+4], query[j:j+4:j+4]
			a += int32(r[0])*int32(q[0]) + int32(r[1])*int32(q[1])
			b += int32(r[2])*int32(q[2]) + int32(r[3])*int32(q[3])
		}
		for ; j < len(row); j++ {
			a += int32(row[j]) * int32(query[j])
		}
		out[i] = a + b
	}
}
