package source

import (
	"bytes"
	"encoding/json"
	"strings"
)

// notebookExt is the extension of a Jupyter notebook.
const notebookExt = ".ipynb"

// A notebook collects the cells of a Jupyter notebook and writes them as a script in the "percent"
// format of jupytext: each cell after a comment with %%, Markdown and other text as comments.
// Outputs, pictures and metadata have no text.
//
// Each line is written at the line of the file that holds it, and the other lines are blank, so
// that a line's number is valid in the file. That is exact for a notebook as Jupyter saves it, with
// a line of the file for each line of a cell. Where a cell is a single string, its lines continue
// on the lines after it.
type notebook struct {
	dec      *json.Decoder
	data     []byte
	counted  int // bytes whose line ends are counted
	line     int // line, from 0, at counted
	cells    []cell
	language string
	kernel   string // name of the kernel, for want of a language
}

type cell struct {
	kind string // "code", "markdown", "raw", "heading"
	at   int    // line of the key of the source
	text []cellText
}

// cellText is a string of a cell's source.
type cellText struct {
	line int
	text string
}

// notebookText returns the text of a notebook's cells; nil for what is no notebook. Of one that is
// torn, it returns the cells before the tear.
func notebookText(data []byte) []byte {
	n := &notebook{dec: json.NewDecoder(bytes.NewReader(data)), data: data}
	err := n.object(n.top)
	if len(n.cells) == 0 && (err != nil || n.language == "" && n.kernel == "") {
		return nil
	}
	return n.text()
}

// object reads an object and calls member for each key, which reads the value.
func (n *notebook) object(member func(key string) error) error {
	return n.within('{', func() error {
		key, err := n.dec.Token()
		if err != nil {
			return err
		}
		return member(key.(string)) // the decoder returns no other key
	})
}

// list calls element for each element of a list, which reads it.
func (n *notebook) list(element func() error) error { return n.within('[', element) }

// within reads a value that begins with a delimiter; any other value is passed over.
func (n *notebook) within(open json.Delim, each func() error) error {
	token, err := n.dec.Token()
	if err != nil {
		return err
	}
	if token != open {
		return n.rest(token)
	}
	for n.dec.More() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err = n.dec.Token()
	return err
}

// skip passes over a value.
func (n *notebook) skip() error {
	token, err := n.dec.Token()
	if err != nil {
		return err
	}
	return n.rest(token)
}

// rest passes over what follows the first token of a value.
func (n *notebook) rest(first json.Token) error {
	depth := 0
	for token := first; ; {
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if token, err = n.dec.Token(); err != nil {
			return err
		}
	}
}

// word reads a string; other values are "".
func (n *notebook) word() (string, error) {
	token, err := n.dec.Token()
	if err != nil {
		return "", err
	}
	if text, ok := token.(string); ok {
		return text, nil
	}
	return "", n.rest(token)
}

func (n *notebook) top(key string) error {
	switch key {
	case "cells":
		return n.list(n.cell)
	case "worksheets": // of version 3
		return n.list(func() error { return n.object(n.top) })
	case "metadata":
		return n.object(n.metadata)
	}
	return n.skip()
}

func (n *notebook) metadata(key string) error {
	if key != "kernelspec" && key != "language_info" {
		return n.skip()
	}
	return n.object(func(member string) error {
		text, err := n.word()
		switch {
		case key == "kernelspec" && member == "name":
			n.kernel = text
		case text != "" && (member == "language" || key == "language_info" && member == "name"):
			n.language = text
		}
		return err
	})
}

func (n *notebook) cell() error {
	n.cells = append(n.cells, cell{kind: "code"})
	return n.object(func(key string) (err error) {
		c := &n.cells[len(n.cells)-1]
		switch key {
		case "cell_type":
			c.kind, err = n.word()
			return err
		case "source", "input":
			c.at = n.lineOf()
			return n.source(c)
		}
		return n.skip()
	})
}

// source reads a string or a list of strings.
func (n *notebook) source(c *cell) error {
	token, err := n.dec.Token()
	if err != nil {
		return err
	}
	if text, ok := token.(string); ok {
		c.text = append(c.text, cellText{n.lineOf(), text})
		return nil
	}
	if token != json.Delim('[') {
		return n.rest(token)
	}
	for n.dec.More() {
		text, err := n.word()
		if err != nil {
			return err
		}
		c.text = append(c.text, cellText{n.lineOf(), text})
	}
	_, err = n.dec.Token()
	return err
}

// lineOf returns the line of the last token, from 0.
func (n *notebook) lineOf() int {
	at := int(n.dec.InputOffset())
	n.line += bytes.Count(n.data[n.counted:at], []byte("\n"))
	n.counted = at
	return n.line
}

// text writes the cells as a script.
func (n *notebook) text() []byte {
	language := n.language
	if language == "" {
		language = strings.TrimRight(n.kernel, "0123456789.-")
	}
	if language == "" {
		language = "python"
	}
	language = lowerASCII(language)
	w := notebookWriter{mark: lineComment(language)}
	w.put(0, w.mark+" notebook: "+strings.Join(strings.Fields(language), " "))
	for i := range n.cells {
		w.cell(&n.cells[i], language == "python")
	}
	lines := n.line + bytes.Count(n.data[n.counted:], []byte("\n"))
	w.out.WriteString(strings.Repeat("\n", max(lines-w.line, 0)))
	return w.out.Bytes()
}

// lineComment returns the mark that begins a comment in a language.
func lineComment(language string) string {
	switch language {
	case "haskell", "sql", "lua":
		return "--"
	case "c", "c++", "cpp", "c++11", "c++14", "c++17", "c++20", "c#", "csharp", "f#", "fsharp", "dart", "go", "groovy", "java", "javascript", "kotlin", "php",
		"rust", "scala", "swift", "typescript":
		return "//"
	case "matlab", "octave", "prolog", "erlang":
		return "%"
	case "clojure", "scheme", "common-lisp":
		return ";"
	}
	return "#"
}

// notebookWriter writes lines at the lines of the file.
type notebookWriter struct {
	out  bytes.Buffer
	mark string // of a comment
	line int    // lines that are written
}

// put writes a line, at the line at if that is not written yet.
func (w *notebookWriter) put(at int, text string) {
	for w.line < at {
		w.out.WriteByte('\n')
		w.line++
	}
	w.out.WriteString(strings.TrimRight(text, "\r"))
	w.out.WriteByte('\n')
	w.line++
}

// foreignMagics are the magics of IPython after which a cell is in another language.
var foreignMagics = set("bash sh script cmd html HTML javascript js latex markdown perl ruby svg SVG sql R bigquery julia cpp")

func (w *notebookWriter) cell(c *cell, isPython bool) {
	if len(c.text) == 0 {
		return
	}
	comment := c.kind != "code"
	head := w.mark + " %%"
	if comment {
		head += " [" + c.kind + "]"
	}
	w.put(c.at, head)
	for _, s := range c.text {
		for i, line := range strings.Split(strings.TrimSuffix(s.text, "\n"), "\n") {
			if word, magic := strings.CutPrefix(line, "%%"); magic && isPython {
				word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
				comment = comment || foreignMagics[word]
			}
			if comment || isPython && isMagic(line) {
				line = strings.TrimRight(w.mark+" "+line, " ")
			}
			w.put(s.line+i, line)
		}
	}
}

// isMagic reports whether a line is a command to IPython and not Python.
func isMagic(line string) bool {
	return strings.HasPrefix(line, "%") || strings.HasPrefix(line, "?") || strings.HasPrefix(strings.TrimLeft(line, " \t"), "!")
}
