//go:build race

package server_test

const longer = 1
