//go:build race

package indexer

// manyFiles is fewer with the race detector.
const manyFiles = 5_000
