package hosts

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// The lines between which the program's block stands in a file of instructions for assistants.
const (
	blockOpen  = "<!-- contexture -->"
	blockClose = "<!-- /contexture -->"
)

const whatBlock = "block for assistants"

// instructions is the file of a workspace that most assistants read: their host's name in a plan.
var instructions = Host{Title: "Assistants that read AGENTS.md"}

// agentsBlock returns the block, without a final newline: what the skill tells a model. It has no
// path of the program, since a repository is used on more than one machine.
func agentsBlock() string {
	_, body, _ := strings.Cut(strings.TrimPrefix(skill, "---\n"), "\n---\n")
	body, _, _ = strings.Cut(body, "<!-- "+wholeMark)
	return blockOpen + "\n## Contexture\n\n" + strings.TrimSpace(body) + "\n" + blockClose
}

// PlanBlock plans to write the program's block to a file of instructions such as AGENTS.md, which
// need not exist, or to take it out. Neither a record nor a copy of the file is kept, since it is
// part of a workspace: the file itself tells how it was before. Errors as of PlanInstall.
func (m *Machine) PlanBlock(path string, install bool) (*Plan, error) {
	c := Change{Path: path, What: whatBlock, shared: true}
	var err error
	if c.existing, err = m.read(path); err == nil {
		f := blockFile{agentsBlock()}
		c.Before = c.existing.data // nil if there is no file
		if install {
			c.After, c.Kept, err = f.install(c.Before, nil)
		} else {
			c.After, err = f.remove(c.Before, nil)
		}
	}
	if err == nil && c.Changed() {
		err = m.writable(c.existing)
	}
	if err != nil {
		return nil, &FileError{path, err}
	}
	return &Plan{Host: instructions, Changes: []Change{c}, machine: m, install: install}, nil
}

// HasBlock reports whether a file contains the program's block.
func (m *Machine) HasBlock(path string) bool {
	e, err := m.read(path)
	if err != nil {
		return false
	}
	start, _, err := findBlock(e.data)
	return err == nil && start >= 0
}

// blockFile writes a block of lines to a text file whose other lines are the person's. A block is
// written at the end, after an empty line, and ends with a newline if the file did. A new file has
// nothing else and ends with a newline, an empty one does not: so each of them can be told from the
// others, and removing the block restores it byte for byte.
type blockFile struct {
	text string // from blockOpen to blockClose, without a final newline
}

func (f blockFile) install(data, _ []byte) (out []byte, kept []string, err error) {
	start, end, err := findBlock(data)
	if err != nil {
		return nil, nil, err
	}
	newline := newlineOf(data[max(start, 0):]) // a block keeps its own
	text := []byte(strings.ReplaceAll(f.text, "\n", newline))
	switch {
	case start >= 0:
		return slices.Concat(data[:start], text, data[end:]), nil, nil
	case data == nil:
		return append(text, newline...), nil, nil
	case len(data) == 0:
		return text, nil, nil
	case data[len(data)-1] == '\n':
		return slices.Concat(data, []byte(newline), text, []byte(newline)), nil, nil
	}
	return slices.Concat(data, []byte(newline+newline), text), nil, nil
}

// remove returns data without the block; nil if the file was created for it and has nothing else.
func (f blockFile) remove(data, _ []byte) ([]byte, error) {
	start, end, err := findBlock(data)
	if err != nil || start < 0 {
		return data, err
	}
	head, tail := data[:start], data[end:]
	if len(tail) == 0 {
		return nonNil(withoutNewline(withoutNewline(head))), nil
	}
	tail = tail[bytes.IndexByte(tail, '\n')+1:]
	if len(head) == 0 && f.blank(tail) {
		return nil, nil
	}
	return slices.Concat(withoutNewline(head), tail), nil
}

func (f blockFile) blank(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

// findBlock returns the position of the program's block: the first byte of blockOpen and the end of
// the line of blockClose, without its newline. Without a block, start is negative.
func findBlock(data []byte) (start, end int, err error) {
	if !utf8.Valid(data) {
		return -1, 0, errors.New("is not UTF-8")
	}
	start, at, open := -1, 0, false
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, "\r\n")
		switch string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))) {
		case blockOpen:
			if start >= 0 {
				return -1, 0, errors.New("has two lines " + blockOpen + ": remove one block")
			}
			open, start = true, at+bytes.IndexByte(text, '<')
		case blockClose:
			if !open {
				return -1, 0, errors.New("has a line " + blockClose + " without " + blockOpen + " before it: remove it")
			}
			open, end = false, at+len(text)
		}
		at += len(line)
	}
	if open {
		return -1, 0, errors.New("has a line " + blockOpen + " without " + blockClose + " after it: remove what is left of the block")
	}
	return start, end, nil
}

// newlineOf returns the newline of a file: that of its first line. After a carriage return it is
// that of Windows, so that the return is not mistaken for a part of it later.
func newlineOf(data []byte) string {
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' || bytes.HasSuffix(data, []byte("\r")) {
		return "\r\n"
	}
	return "\n"
}

// withoutNewline returns data without its last newline.
func withoutNewline(data []byte) []byte {
	data, cut := bytes.CutSuffix(data, []byte("\n"))
	if cut {
		data = bytes.TrimSuffix(data, []byte("\r"))
	}
	return data
}
