//go:build !race

package server_test

// longer is by how much tests of very many sessions and turns are longer than with the race
// detector, which finds nothing more in the thousandth.
const longer = 4
