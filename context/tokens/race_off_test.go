//go:build !race

package tokens_test

// allowedAllocations of one count: none. Under the race detector sync.Pool drops what it holds at
// random.
const allowedAllocations = 0
