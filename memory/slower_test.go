//go:build !race

package memory

// slower is how many times slower the tests are than the program.
const slower = 1
