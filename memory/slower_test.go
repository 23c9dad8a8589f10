//go:build !race

package memory

// slower is the factor by which the tests are slower than the program.
const slower = 1
