//go:build race

package stream_test

// crowd is fewer with the race detector, under which a handshake takes ten times as long.
const crowd = 100

// many is fewer for the same reason.
const many = 2_000
