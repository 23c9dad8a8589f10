//go:build race

package tokens_test

// allowedAllocations of one count: the race detector makes sync.Pool drop what it holds at random,
// so each count may have to make its caches anew.
const allowedAllocations = 16
