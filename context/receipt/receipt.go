// Package receipt computes what the context that an assistant was given cost, and what came of
// it, from the tool calls of its log, without estimates. Tokens are a quarter of the bytes, on both
// sides alike.
//
// A search or a listing was needless if the given text names all of the files that it lists, or
// names the file of the workspace that the assistant opened next. Reading a file is never needless:
// only its name was given. A shell's command that prints a file reads it, whatever else it does.
// Look-ups count until the assistant changes a file of the workspace with a tool for that; what
// subagents look up, and what a shell's command changes, is not known. The program's own tools are
// no look-ups, and what they answered bears on later look-ups only.
package receipt

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Asked is the moment of what the assistant asked the program for itself, by one of its tools.
const Asked = "asked"

// Delivery is what a conversation was given at one moment: not its text, which may quote what is
// forgotten later.
type Delivery struct {
	At     time.Time     `json:"at"`
	Moment string        `json:"moment"` // of the settings: beforePrompt, afterFailure …; or Asked
	Names  []string      `json:"names"`  // of files, before that of a line, or of a quotation's lines
	Bytes  int           `json:"bytes"`
	Places int           `json:"places,omitempty"` // bytes of the lines that begin with names
	Words  []uint32      `json:"words,omitempty"`  // hashes of its words that are spelled as code, but for places
	Took   time.Duration `json:"took"`             // until the text was there
}

// Give returns what a text is to receipts.
func Give(at time.Time, moment, text string, took time.Duration) Delivery {
	names, places := namesIn(text)
	return Delivery{at, moment, names, len(text), places, wordsGiven(text), took}
}

// Tokens returns the size of what was given.
func (g Delivery) Tokens() int { return g.Bytes / tokenBytes }

// tokenBytes is the approximate length of a token.
const tokenBytes = 4

// Receipt is what was given for one prompt, or for several, and what came of it.
type Receipt struct {
	Given  int `json:"given"`  // tokens
	Places int `json:"places"` // of these, those of the lines that name files
	Named  int `json:"named"`  // files that the text names
	Opened int `json:"opened"` // of these, those that the assistant then read or changed
	// Words are those that are spelled as code, of what does not name places, and Taken those of
	// them that the assistant then wrote and the person had not.
	Words int `json:"words"`
	Taken int `json:"taken"`
	// Looks are the look-ups until the first change, and LookTokens their results.
	Looks      int `json:"looks"`
	LookTokens int `json:"lookTokens"`
	// Needless are those of them that the text made needless, and Spared their results.
	Needless int `json:"needless"`
	Spared   int `json:"spared"`
}

// Net returns the tokens that were spared, less those that were given.
func (r Receipt) Net() int { return r.Spared - r.Given }

// Add adds another receipt.
func (r *Receipt) Add(o Receipt) {
	r.Given += o.Given
	r.Places += o.Places
	r.Named += o.Named
	r.Opened += o.Opened
	r.Words += o.Words
	r.Taken += o.Taken
	r.Looks += o.Looks
	r.LookTokens += o.LookTokens
	r.Needless += o.Needless
	r.Spared += o.Spared
}

// FileUse is a file of the workspace that an assistant read or changed.
type FileUse struct {
	File string
	At   time.Time // zero if it is not known
}

// Work is what an assistant did for a prompt.
type Work struct {
	Looks   []Look // until it first changed a file of the workspace
	Edited  string // that file, "" for none or one that is not known
	Handled []FileUse

	wrote map[uint32]time.Time // when it first wrote a word
}

// Read returns what an assistant did in the messages of a turn, which begins with the prompt. root
// is the folder of the workspace.
func Read(turn []dialogue.Message, root string) (w Work) {
	w.wrote = map[uint32]time.Time{}
	changed, in := false, folderIn(turn, root)
	for _, m := range turn {
		w.noteWords(m, turn[0].At)
		for _, c := range m.ToolCalls {
			a := actOf(c, in.of(c))
			w.handle(m.At, a.edited)
			if len(a.edited) > 0 && !changed {
				w.Edited = a.edited[0]
			}
			changed = changed || a.blind || len(a.edited) > 0
			if a.look == nil {
				continue
			}
			if !a.look.Search {
				w.handle(m.At, a.look.Files)
			}
			if !changed {
				a.look.At = m.At
				w.Looks = append(w.Looks, *a.look)
			}
		}
	}
	return w
}

func (w *Work) handle(at time.Time, files []string) {
	for _, f := range files {
		w.Handled = append(w.Handled, FileUse{f, at})
	}
}

// Receipt returns the receipt of what was given, or would have been, for the prompt.
func (w Work) Receipt(given ...Delivery) Receipt {
	var r Receipt
	for _, g := range given {
		r.Given += g.Tokens()
		r.Places += g.Places / tokenBytes
	}
	names := namesOf(given, func(Delivery) bool { return true })
	words := map[uint32]time.Time{} // when each was given first
	for _, g := range given {
		for _, word := range g.Words {
			if at, known := words[word]; !known || g.At.Before(at) {
				words[word] = g.At
			}
		}
	}
	r.Words = len(words)
	for word, at := range words {
		if w.taken(word, at) {
			r.Taken++
		}
	}
	r.Named = len(names)
	for _, n := range names {
		if slices.ContainsFunc(w.Handled, func(h FileUse) bool {
			return isNamed(h.File, []string{n}) && slices.ContainsFunc(given, func(g Delivery) bool { return g.inView(h.At) && slices.Contains(g.Names, n) })
		}) {
			r.Opened++
		}
	}
	for i, l := range w.Looks {
		r.Looks++
		r.LookTokens += l.Tokens
		if l.Search && needless(l, w.next(i), namesOf(given, func(g Delivery) bool { return g.inView(l.At) })) {
			r.Needless++
			r.Spared += l.Tokens
		}
	}
	return r
}

// inView reports whether the assistant had what was given at a time. What it asked for itself may
// have come after a time that is not known.
func (g Delivery) inView(at time.Time) bool {
	return g.Moment != Asked || !at.IsZero() && !at.Before(g.At)
}

// namesOf returns the files that those of the given texts name that fit.
func namesOf(given []Delivery, fits func(Delivery) bool) (names []string) {
	for _, g := range given {
		if !fits(g) {
			continue
		}
		for _, n := range g.Names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// next returns the first file of the workspace that was read after a look-up, or else the first
// that was changed.
func (w Work) next(at int) string {
	for _, l := range w.Looks[at+1:] {
		if !l.Search && len(l.Files) > 0 {
			return l.Files[0]
		}
	}
	return w.Edited
}

// needless reports whether a search finds nothing that the names do not have.
func needless(l Look, next string, names []string) bool {
	all := len(l.Files) > 0 && !l.More
	for _, f := range l.Files {
		all = all && isNamed(f, names)
	}
	return all || next != "" && isNamed(next, names)
}

// quotation matches the line above what a bundle quotes of a file.
var quotation = regexp.MustCompile(`^<ctx-code path="([^"]+)"`)

// namesIn returns the files that a text names at the beginning of a line, as "path:line", and the
// size of these lines; also those that it quotes as bundles do.
func namesIn(text string) (names []string, size int) {
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for whole := range strings.Lines(text) {
		if m := quotation.FindStringSubmatch(whole); m != nil {
			add(html.UnescapeString(m[1]))
			continue
		}
		line := strings.TrimLeft(whole, "-* \t")
		at := strings.IndexByte(line, ':')
		if at <= 0 || at+1 >= len(line) || line[at+1] < '0' || line[at+1] > '9' || strings.ContainsAny(line[:at], " \t<>\"") {
			continue
		}
		size += len(whole)
		add(line[:at])
	}
	return names, size
}

// tokens returns a quarter of the number of bytes.
func tokens(text string) int { return len(text) / tokenBytes }
