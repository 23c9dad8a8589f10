//go:build !race

package main

// raced means that tests and the programs that they start run under the race detector, with which
// they take several times as long.
const raced = false
