//go:build !cgo

package vector

const bestLevel = 0

func dotAt(_ int, rows, query []int8, out []int32) { dotGo(rows, query, out) }
