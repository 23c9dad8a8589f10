package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// dumpSource is the C program that prints what a parser consists of.
//
//go:embed grammars/dump.c
var dumpSource []byte

// The numbers and arrays that dumpSource prints; the two lexers follow.
const (
	headNumbers = 11
	headArrays  = 16
)

// grammarParts are what a generated parser consists of. All numbers are little-endian, as the
// runtime reads them.
type grammarParts struct {
	numbers  []byte          // headNumbers of 32 bits
	arrays   [][]byte        // headArrays; empty where the grammar has none
	lexer    *generatedLexer // of the text
	keywords *generatedLexer // of keywords; nil where the grammar has none
}

// generatedLexer is a lexer as an automaton: where each state goes at each of the cuts, which begin
// ranges of characters.
type generatedLexer struct {
	cuts   []int32 // ascending; the first is -1
	states []lexerState
}

// lexerState is a state of a lexer. Of each state noState stands for none.
type lexerState struct {
	accepted, atEnd uint16
	next            []uint16 // by cut
}

const noState = 0xffff

// dump returns what the parser in dir consists of, whose language the function tree_sitter_NAME
// returns. It compiles the parser.
func (p *packer) dump(dir, name string) (*grammarParts, error) {
	parser := filepath.Join(dir, "parser.c")
	text, err := os.ReadFile(parser)
	if err != nil {
		return nil, err
	}
	cuts, err := cutsOf(text)
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	for _, c := range cuts {
		fmt.Fprintf(&list, "%d,\n", c)
	}
	source, cutsFile, program := filepath.Join(p.work, "dump.c"), filepath.Join(p.work, "cuts"), filepath.Join(p.work, "dump")
	err = errors.Join(os.WriteFile(source, dumpSource, 0o644), os.WriteFile(cutsFile, []byte(list.String()), 0o644))
	if err != nil {
		return nil, err
	}
	header := filepath.Join(dir, parserHeader)
	if _, err := os.Stat(header); errors.Is(err, os.ErrNotExist) {
		header = p.headerFile(parserHeader)
	}
	define := func(name, file string) string { return fmt.Sprintf("-D%s=%q", name, filepath.ToSlash(file)) }
	// The scanner's functions stay undefined, since the tables do not need them.
	compile := exec.Command("cc", "-O0", "-w", "-Wl,--unresolved-symbols=ignore-all", "-DLANGUAGE=tree_sitter_"+name,
		define("HEADER", header), define("PARSER", parser), define("CUTS", cutsFile), "-o", program, source)
	if text, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile the parser: %w\n%s", err, text)
	}
	run := exec.Command(program)
	var failed bytes.Buffer
	run.Stderr = &failed
	printed, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("print the parser: %w\n%s", err, &failed)
	}
	return readParts(printed, cuts)
}

var (
	// lexing matches what a generated lexer consists of: its functions and its sets of characters.
	lexing = regexp.MustCompile(`(?ms)^static (?:inline )?(?:bool|(?:const )?TSCharacterRange) \w+[(\[].*?^\}`)
	// character matches what stands for a character in them, and other numbers.
	character = regexp.MustCompile(`'(?:\\.|[^'\\])'|\b0x[0-9A-Fa-f]+\b|\b[0-9]+\b`)
)

// escaped are the characters that C writes with a backslash.
var escaped = map[byte]int32{'0': 0, 'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13, '\\': '\\', '\'': '\'', '"': '"'}

// cutsOf returns, ascending, characters between which no lexer of a parser tells any apart: each
// that it names, with the one that follows. The first is -1, the runtime's sign for a byte that is
// not UTF-8.
func cutsOf(parser []byte) ([]int32, error) {
	cuts := []int32{-1, 0}
	for _, block := range lexing.FindAll(parser, -1) {
		for _, word := range character.FindAll(block, -1) {
			c, err := characterOf(string(word))
			if err != nil {
				return nil, err
			}
			cuts = append(cuts, c, c+1)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts), nil
}

// characterOf returns the character that a number or a character of C stands for.
func characterOf(word string) (int32, error) {
	if word[0] != '\'' {
		n, err := strconv.ParseInt(word, 0, 32)
		return int32(n), err
	}
	inside := word[1 : len(word)-1]
	if inside[0] != '\\' {
		return []rune(inside)[0], nil
	}
	c, ok := escaped[inside[1]]
	if !ok {
		return 0, fmt.Errorf("the character %s is not known", word)
	}
	return c, nil
}

// readParts reads what dumpSource has printed.
func readParts(printed []byte, cuts []int32) (*grammarParts, error) {
	take := func(n int) []byte {
		if n < 0 || n > len(printed) {
			return nil
		}
		taken := printed[:n]
		printed = printed[n:]
		return taken
	}
	part := func() []byte {
		size := take(4)
		if size == nil {
			return nil
		}
		return take(int(binary.LittleEndian.Uint32(size)))
	}
	p := &grammarParts{numbers: take(4 * headNumbers)}
	var parts [headArrays + 2][]byte
	for i := range parts {
		if parts[i] = part(); parts[i] == nil {
			return nil, errors.New("the parser's parts are cut off")
		}
	}
	p.arrays = parts[:headArrays]
	var err error
	if p.lexer, err = readLexer(parts[headArrays], cuts); err != nil {
		return nil, err
	}
	if p.lexer == nil {
		return nil, errors.New("the parser has no lexer")
	}
	if p.keywords, err = readLexer(parts[headArrays+1], cuts); err != nil {
		return nil, err
	}
	if len(printed) > 0 {
		return nil, fmt.Errorf("%d bytes follow the parser's parts", len(printed))
	}
	return p, nil
}

// readLexer reads one lexer of what dumpSource has printed; nil where there is none.
func readLexer(data []byte, cuts []int32) (*generatedLexer, error) {
	if len(data) == 0 {
		return nil, nil
	}
	states := int(binary.LittleEndian.Uint32(data))
	data = data[4:]
	row := 2 * (2 + len(cuts))
	if len(data) != states*row {
		return nil, fmt.Errorf("a lexer of %d states and %d characters has %d bytes", states, len(cuts), len(data))
	}
	l := &generatedLexer{cuts: cuts}
	for at := 0; at < len(data); at += row {
		s := lexerState{accepted: binary.LittleEndian.Uint16(data[at:]), atEnd: binary.LittleEndian.Uint16(data[at+2:])}
		for i := range cuts {
			s.next = append(s.next, binary.LittleEndian.Uint16(data[at+4+2*i:]))
		}
		l.states = append(l.states, s)
	}
	return l, nil
}

// file returns the parts in the form that package packed reads (language.c).
func (p *grammarParts) file() []byte {
	parts := slices.Clone(p.arrays)
	for _, l := range []*generatedLexer{p.lexer, p.keywords} {
		if l == nil {
			parts = append(parts, nil)
			continue
		}
		parts = append(parts, l.table())
	}
	out := slices.Clone(p.numbers)
	at := padded(len(p.numbers) + 4*len(parts))
	for _, part := range parts {
		if len(part) == 0 {
			out = binary.LittleEndian.AppendUint32(out, 0)
			continue
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(at))
		at = padded(at + len(part))
	}
	for _, part := range parts {
		out = append(out, make([]byte, padded(len(out))-len(out))...)
		out = append(out, part...)
	}
	return out
}

// padded returns the next multiple of 8, to which every part is aligned.
func padded(n int) int { return (n + 7) &^ 7 }

const asciiChars = 128

// table returns a lexer in the form that package packed reads: characters that no state tells apart
// are one class.
func (l *generatedLexer) table() []byte {
	classes := map[string]uint16{} // by where all states go
	var columns []int              // by class: one of its cuts
	classOf := make([]uint16, len(l.cuts))
	for i := range l.cuts {
		var column []byte
		for _, s := range l.states {
			column = binary.LittleEndian.AppendUint16(column, s.next[i])
		}
		class, ok := classes[string(column)]
		if !ok {
			class = uint16(len(columns))
			classes[string(column)] = class
			columns = append(columns, i)
		}
		classOf[i] = class
	}
	var starts []int32
	var ranges []uint16
	for i, c := range l.cuts {
		if n := len(ranges); n == 0 || ranges[n-1] != classOf[i] {
			starts, ranges = append(starts, c), append(ranges, classOf[i])
		}
	}
	var out []byte
	for _, n := range []int{len(l.states), len(columns), len(ranges)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for _, c := range starts {
		out = binary.LittleEndian.AppendUint32(out, uint32(c))
	}
	number := func(n uint16) { out = binary.LittleEndian.AppendUint16(out, n) }
	for _, class := range ranges {
		number(class)
	}
	for c := range int32(asciiChars) {
		at, found := slices.BinarySearch(starts, c)
		if !found {
			at--
		}
		number(ranges[at])
	}
	for _, s := range l.states {
		number(s.accepted)
	}
	for _, s := range l.states {
		number(s.atEnd)
	}
	for _, s := range l.states {
		for _, at := range columns {
			number(s.next[at])
		}
	}
	return out
}
