package server_test

import "testing"

// longer is by how much tests of very many sessions and turns are longer than in short, since the
// thousandth finds little more.
func longer() int {
	if testing.Short() {
		return 1
	}
	return 4
}
