//go:build !race

package indexer

// manyFiles is how many files change at once.
const manyFiles = 20_000
