// Package packed holds the tree-sitter grammars with the largest tables. The tables are compressed,
// which makes the program 28 MB smaller, and are unpacked when a language is first used. Begin with
// [Language].
//
// All C files but alloc.h, and all tables, are written by go run ./cmd/gen grammars.
package packed

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/DataDog/zstd"
)

// Language returns a grammar as tree-sitter's TSLanguage, or nil if none of that name is packed.
// It unpacks the tables, which takes up to 10 ms and stays in memory until the program ends: the
// caller keeps the result and does not call again for the same language. It panics if the tables
// are damaged, which only a damaged program has.
func Language(name string) unsafe.Pointer {
	g, ok := grammars[name]
	if !ok {
		return nil
	}
	memory := C.malloc(C.size_t(g.size)) // never returns nil
	n, err := zstd.DecompressInto(unsafe.Slice((*byte)(memory), g.size), g.tables)
	if err == nil && n != g.size {
		err = fmt.Errorf("%d bytes, want %d", n, g.size)
	}
	if err != nil {
		panic(fmt.Sprintf("unpack the tables of %s: %v", name, err))
	}
	return g.language(memory)
}
