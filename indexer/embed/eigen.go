package embed

import "math"

// symmetricEigen decomposes the symmetric n×n matrix a, row by row, which it overwrites: afterwards
// row k of a is the eigenvector of values[k], and values ascend. It reduces to tridiagonal form by
// Householder reflections and diagonalises by the QL method with implicit shifts: tred2 and tql2 of
// EISPACK (Wilkinson and Reinsch, "Linear Algebra", 1971). It is exact to about n roundings and
// costs about 9n³ operations: 50 ms at 208.
func symmetricEigen(a []float64, n int) (values []float64) {
	values = make([]float64, n)
	if n == 0 {
		return values
	}
	off := make([]float64, n)
	tridiagonalise(a, n, values, off)
	transpose(a, n) // columns become rows: the rotations below then run along memory
	diagonalise(a, n, values, off)
	return values
}

func transpose(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
}

// tridiagonalise stores the diagonal in d, the subdiagonal in e[1:], and the accumulated
// transformation in a.
func tridiagonalise(a []float64, n int, d, e []float64) {
	copy(d, a[(n-1)*n:])
	for i := n - 1; i > 0; i-- {
		reflect(a, n, i, d, e)
	}
	for i := range n - 1 { // accumulate the transformations
		a[(n-1)*n+i] = a[i*n+i]
		a[i*n+i] = 1
		if h := d[i+1]; h != 0 {
			for k := range i + 1 {
				d[k] = a[k*n+i+1] / h
			}
			for j := range i + 1 {
				g := 0.0
				for k := range i + 1 {
					g += a[k*n+i+1] * a[k*n+j]
				}
				for k := range i + 1 {
					a[k*n+j] -= g * d[k]
				}
			}
		}
		for k := range i + 1 {
			a[k*n+i+1] = 0
		}
	}
	for j := range n {
		d[j] = a[(n-1)*n+j]
		a[(n-1)*n+j] = 0
	}
	a[(n-1)*n+n-1] = 1
	e[0] = 0
}

// reflect zeroes row i of the matrix left of its subdiagonal.
func reflect(a []float64, n, i int, d, e []float64) {
	scale, h := 0.0, 0.0
	for k := range i {
		scale += math.Abs(d[k])
	}
	if scale == 0 {
		e[i] = d[i-1]
		for j := range i {
			d[j] = a[(i-1)*n+j]
			a[i*n+j], a[j*n+i] = 0, 0
		}
		d[i] = 0
		return
	}
	for k := range i {
		d[k] /= scale
		h += d[k] * d[k]
	}
	f := d[i-1]
	g := -math.Copysign(math.Sqrt(h), f)
	e[i] = scale * g
	h -= f * g
	d[i-1] = f - g
	clear(e[:i])
	for j := range i {
		f = d[j]
		a[j*n+i] = f
		g = e[j] + a[j*n+j]*f
		for k := j + 1; k < i; k++ {
			g += a[k*n+j] * d[k]
			e[k] += a[k*n+j] * f
		}
		e[j] = g
	}
	f = 0
	for j := range i {
		e[j] /= h
		f += e[j] * d[j]
	}
	hh := f / (h + h)
	for j := range i {
		e[j] -= hh * d[j]
	}
	for j := range i {
		f, g = d[j], e[j]
		for k := j; k < i; k++ {
			a[k*n+j] -= f*e[k] + g*d[k]
		}
		d[j] = a[(i-1)*n+j]
		a[i*n+j] = 0
	}
	d[i] = h
}

// diagonalise replaces d by the eigenvalues, applies the rotations to the rows of v, and sorts
// both.
func diagonalise(v []float64, n int, d, e []float64) {
	copy(e, e[1:])
	e[n-1] = 0
	shift, largest := 0.0, 0.0
	for l := range n {
		largest = max(largest, math.Abs(d[l])+math.Abs(e[l]))
		m := l
		for m < n-1 && math.Abs(e[m]) > 0x1p-52*largest {
			m++
		}
		// Convergence takes about two rounds, a thirtieth of this limit; NaN would never converge.
		for round := 0; m > l && round < 60; round++ {
			shift += rotate(v, n, l, m, d, e)
			if math.Abs(e[l]) <= 0x1p-52*largest {
				break
			}
		}
		d[l] += shift
		e[l] = 0
	}
	for i := range n - 1 { // selection: a swap moves a row of n
		k := i
		for j := i + 1; j < n; j++ {
			if d[j] < d[k] {
				k = j
			}
		}
		if k != i {
			d[i], d[k] = d[k], d[i]
			for j := range n {
				v[i*n+j], v[k*n+j] = v[k*n+j], v[i*n+j]
			}
		}
	}
}

// rotate performs one implicit QL step on the block from l to m and returns the shift that it
// subtracted.
func rotate(v []float64, n, l, m int, d, e []float64) (shift float64) {
	g := d[l]
	p := (d[l+1] - g) / (2 * e[l])
	r := math.Copysign(math.Hypot(p, 1), p)
	d[l] = e[l] / (p + r)
	d[l+1] = e[l] * (p + r)
	next := d[l+1]
	shift = g - d[l]
	for i := l + 2; i < n; i++ {
		d[i] -= shift
	}
	p = d[m]
	c, c2, c3 := 1.0, 1.0, 1.0
	s, s2 := 0.0, 0.0
	below := e[l+1]
	for i := m - 1; i >= l; i-- {
		c3, c2, s2 = c2, c, s
		g = c * e[i]
		h := c * p
		r = math.Hypot(p, e[i])
		e[i+1] = s * r
		s, c = 0, 1
		if r != 0 { // both are zero only if the matrix has no rank left
			s, c = e[i]/r, p/r
		}
		p = c*d[i] - s*g
		d[i+1] = h + s*(c*g+s*d[i])
		low, high := v[i*n:][:n], v[(i+1)*n:][:n]
		for k, x := range low {
			y := high[k]
			high[k] = s*x + c*y
			low[k] = c*x - s*y
		}
	}
	p = -s * s2 * c3 * below * e[l] / next
	e[l] = s * p
	d[l] = c * p
	return shift
}
