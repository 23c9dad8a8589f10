//go:build !race

package tokens_test

// allowedAllocations is the number of allocations allowed for one count: none. Under the race
// detector sync.Pool drops items at random.
const allowedAllocations = 0
