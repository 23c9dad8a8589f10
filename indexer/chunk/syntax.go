package chunk

/*
#cgo CFLAGS: -O2
#cgo linux LDFLAGS: -Wl,--wrap=abort -Wl,--wrap=__assert_fail
#cgo windows LDFLAGS: -static -lwinpthread
#include "syntax.h"
*/
import "C"

import (
	"errors"
	"math"
	"time"
	"unsafe"

	_ "github.com/smacker/go-tree-sitter" // linked for the runtime in C; its Go wrapper is not called
)

var (
	errTimeLimit = errors.New("parse exceeded its limit")
	errMemory    = errors.New("parse ran out of memory")
	errAbort     = errors.New("grammar gave up")
)

// node is one syntax node; a tree is a []node in document order. The layout is that of flat_node in
// syntax.h.
type node struct {
	start, end uint32 // bytes, half open
	next       uint32 // index after the last descendant
	parent     uint32
	symbol     uint16 // index into grammar.names, or errorSymbol
	field      uint16 // index into grammar.fields, 0 for none
}

const errorSymbol = math.MaxUint16

// How a grammar symbol's nodes are treated (syntax.h).
const (
	flatKeep = C.FLAT_KEEP
	flatLeaf = C.FLAT_LEAF
	flatDrop = C.FLAT_DROP
)

// grammar is Go's view of one compiled grammar. Immutable.
type grammar struct {
	language *C.TSLanguage
	names    []string // by symbol
	named    []bool   // by symbol: a rule's name rather than a token's text
	fields   []string // by field id
}

func newGrammar(language *C.TSLanguage) *grammar {
	g := &grammar{language: language}
	for s := range uint16(C.ts_language_symbol_count(language)) {
		g.names = append(g.names, C.GoString(C.ts_language_symbol_name(language, C.TSSymbol(s))))
		g.named = append(g.named, C.ts_language_symbol_type(language, C.TSSymbol(s)) == 0)
	}
	g.fields = append(g.fields, "")
	for f := range uint16(C.ts_language_field_count(language)) {
		g.fields = append(g.fields, C.GoString(C.ts_language_field_name_for_id(language, C.TSFieldId(f+1))))
	}
	return g
}

// syntax owns a tree-sitter parser and the buffer of its last tree. Not safe for concurrent use.
//
// Parsing, walking and freeing the tree are one C call: a walk through Go node objects costs as
// much as the parse, this one about a tenth of it, and no tree can be leaked or used after it was
// freed.
type syntax struct{ c *C.flat_parser }

func newSyntax() *syntax { return &syntax{c: C.flat_new()} }

func (s *syntax) close() {
	C.flat_delete(s.c)
	s.c = nil
}

// parse returns the tree of src, valid until the next call. keep selects by symbol what is kept of
// it.
func (s *syntax) parse(g *grammar, keep []uint8, src []byte, limit time.Duration) ([]node, error) {
	return s.parseWithin(g, keep, src, nil, limit)
}

// parseWithin is parse for a text of which only some ranges are read, all of it for none.
func (s *syntax) parseWithin(g *grammar, keep []uint8, src []byte, ranges []C.TSRange, limit time.Duration) ([]node, error) {
	if s.c == nil {
		return nil, errMemory
	}
	status := C.flat_parse(s.c, g.language,
		(*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
		C.uint64_t(limit.Microseconds()),
		(*C.uint8_t)(unsafe.SliceData(keep)), C.uint32_t(len(keep)),
		(*C.TSRange)(unsafe.SliceData(ranges)), C.uint32_t(len(ranges)))
	switch status {
	case C.FLAT_DONE:
		return unsafe.Slice((*node)(unsafe.Pointer(s.c.nodes)), int(s.c.count)), nil
	case C.FLAT_LIMIT:
		return nil, errTimeLimit
	case C.FLAT_ABORT:
		return nil, errAbort
	default:
		return nil, errMemory
	}
}

// around returns the ranges of a text around others, which ascend.
func (l *lines) around(others []Span) (out []C.TSRange) {
	point := func(at int) C.TSPoint {
		line := l.of(at)
		return C.TSPoint{row: C.uint32_t(line), column: C.uint32_t(at - int(l.start[line]))}
	}
	from := 0
	for _, s := range append(others, Span{int(l.start[len(l.blank)]), 0}) {
		if from < s.Start {
			out = append(out, C.TSRange{start_point: point(from), end_point: point(s.Start), start_byte: C.uint32_t(from), end_byte: C.uint32_t(s.Start)})
		}
		from = s.End
	}
	return out
}

// liveTrees returns the number of C trees not freed yet, in the whole process.
func liveTrees() int { return int(C.flat_live_trees()) }

// abortGuarded calls C's abort as a grammar's scanner may.
func abortGuarded() bool { return C.flat_abort() == C.FLAT_ABORT }
