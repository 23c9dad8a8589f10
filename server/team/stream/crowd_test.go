//go:build !race

package stream_test

// crowd is how many clients a test has that needs many.
const crowd = 1000

// many is how many messages come while a client is away.
const many = 10_000
