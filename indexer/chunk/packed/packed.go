// Package packed holds tree-sitter grammars. Nothing of a grammar is compiled but its scanner, if
// it has one: its tables and its lexers are data, which is unpacked when a language is first used.
// Begin with [Language].
//
// Files NAME.tables and NAME_scanner.c, parser.h and array.h are written by go run ./cmd/gen
// grammars; language.c reads the tables, as cmd/gen's grammars_dump.go writes them.
package packed

/*
#cgo CFLAGS: -O2
#include <stdlib.h>
#include "language.h"
*/
import "C"

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/DataDog/zstd"
)

//go:embed *.tables
var files embed.FS

// names are the names of grammars whose language package chunk calls otherwise, by the latter.
var names = map[string]string{
	"csharp":          "c_sharp",
	"ocaml interface": "ocaml_interface",
	"protobuf":        "proto",
}

// Language returns a grammar as tree-sitter's TSLanguage, or nil if none of that name is packed.
// It unpacks the tables, which takes up to 10 ms and stays in memory until the program ends: the
// caller keeps the result and does not call again for the same language. It panics if the tables
// are damaged, which only a damaged program has.
func Language(name string) unsafe.Pointer {
	grammar := name
	if other, ok := names[name]; ok {
		grammar = other
	}
	file, err := files.ReadFile(grammar + ".tables")
	if err != nil {
		return nil
	}
	tables, err := unpack(file)
	if err != nil {
		panic(fmt.Sprintf("unpack the tables of %s: %v", name, err))
	}
	cname := C.CString(grammar)
	defer C.free(unsafe.Pointer(cname))
	language := C.packed_language(cname, (*C.uint8_t)(tables))
	if language == nil {
		panic("language.c has no grammar " + grammar)
	}
	return unsafe.Pointer(language)
}

var errDamaged = errors.New("the file is damaged")

// unpack returns the tables of a file, in memory of C. The file has a line with the grammar's
// package and version, the size of the tables in four bytes, and the tables, compressed by zstd.
func unpack(file []byte) (unsafe.Pointer, error) {
	const sizeBytes = 4
	_, file, _ = bytes.Cut(file, []byte("\n"))
	if len(file) < sizeBytes {
		return nil, errDamaged
	}
	size := int(binary.LittleEndian.Uint32(file))
	memory := C.malloc(C.size_t(size)) // never returns nil
	n, err := zstd.DecompressInto(unsafe.Slice((*byte)(memory), size), file[sizeBytes:])
	if err != nil {
		return nil, err
	}
	if n != size {
		return nil, errDamaged
	}
	return memory, nil
}
