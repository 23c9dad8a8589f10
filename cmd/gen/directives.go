package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Repeat is what a second call of a command comes to; see command.Repeat.
type Repeat struct{ Answer, Field string }

// Directives are what a command's comment states about how it is called; see command.Commands.
type Directives struct {
	Writes           string // "", "memory" or "index"
	Idempotent, Once Repeat
	Destructive      bool
	Waits            string // "", "itself" or "briefly"
	Unordered        bool
	Slot             string
	OwnSlot          bool
	Personal         bool
}

// directivePrefix begins a directive, which Text leaves out of a comment.
const directivePrefix = "//contexture:"

// directivesOf reads the directives of a comment.
func directivesOf(g *ast.CommentGroup) (d Directives, err error) {
	seen := map[string]bool{}
	if g != nil {
		for _, c := range g.List {
			text, ok := strings.CutPrefix(c.Text, directivePrefix)
			if !ok {
				continue
			}
			words := strings.Fields(text)
			if len(words) == 0 || seen[words[0]] || !d.set(words[0], words[1:]) {
				return d, fmt.Errorf("contexture:%s: unknown, incomplete or repeated directive", text)
			}
			seen[words[0]] = true
		}
	}
	if d.Slot == "" {
		d.Slot = "interactive"
		if d.Writes == "memory" {
			d.Slot = "write"
		}
	}
	if d.Writes == "" && (d.Destructive || d.Unordered || d.Idempotent != Repeat{} || d.Once != Repeat{}) {
		return d, fmt.Errorf("a command that writes nothing is idempotent and destroys nothing")
	}
	return d, nil
}

// set sets what a directive states; false if it states nothing known.
func (d *Directives) set(name string, words []string) bool {
	first, second := "", ""
	switch len(words) {
	case 2:
		first, second = words[0], words[1]
	case 1:
		first = words[0]
	case 0:
	default:
		return false
	}
	switch {
	case name == "writes" && second == "" && slices.Contains([]string{"memory", "index"}, first):
		d.Writes = first
	case name == "idempotent" && second == "":
		d.Idempotent = Repeat{"same", first}
	case name == "once" && slices.Contains([]string{"removed", "notFound", "exists"}, first):
		d.Once = Repeat{first, second}
	case name == "waits" && second == "" && slices.Contains([]string{"itself", "briefly"}, first):
		d.Waits = first
	case name == "slot" && slices.Contains([]string{"quick", "write", "large", "interactive"}, first) && slices.Contains([]string{"", "itself"}, second):
		d.Slot, d.OwnSlot = first, second != ""
	case name == "slot" && first == "itself" && second == "":
		d.OwnSlot = true
	case name == "destructive" && first == "":
		d.Destructive = true
	case name == "unordered" && first == "":
		d.Unordered = true
	case name == "tool" && first == "none" && second == "":
		d.Personal = true
	default:
		return false
	}
	return true
}

// literal returns the directives as members of a Go literal.
func (d Directives) literal() string {
	var b strings.Builder
	text := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, ", %s: %q", name, value)
		}
	}
	repeat := func(name string, r Repeat) {
		switch {
		case r.Field != "":
			fmt.Fprintf(&b, ", %s: Repeat{Answer: %q, Field: %q}", name, r.Answer, r.Field)
		case r.Answer != "":
			fmt.Fprintf(&b, ", %s: Repeat{Answer: %q}", name, r.Answer)
		}
	}
	flag := func(name string, is bool) {
		if is {
			fmt.Fprintf(&b, ", %s: true", name)
		}
	}
	text("Writes", d.Writes)
	repeat("Idempotent", d.Idempotent)
	repeat("Once", d.Once)
	flag("Destructive", d.Destructive)
	text("Waits", d.Waits)
	flag("Unordered", d.Unordered)
	text("Slot", d.Slot)
	flag("OwnSlot", d.OwnSlot)
	flag("Personal", d.Personal)
	return strings.TrimPrefix(b.String(), ", ")
}
