//go:build race

package tokens_test

// allowedAllocations is the number of allocations allowed for one count: the race detector makes
// sync.Pool drop items at random, so each count may allocate its caches again.
const allowedAllocations = 16
