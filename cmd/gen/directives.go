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

// forms are the directives' words; one in capitals is any name.
var forms = []string{
	"writes memory", "writes index", "idempotent", "idempotent FIELD", "once removed", "once notFound", "once exists",
	"once removed FIELD", "once notFound FIELD", "once exists FIELD", "destructive", "waits itself", "waits briefly", "unordered",
	"slot itself", "slot CLASS", "slot CLASS itself", "tool none",
}

var classes = []string{"quick", "write", "large", "interactive"}

// set sets what a directive states; false if it has none of the forms.
func (d *Directives) set(name string, words []string) bool {
	if !slices.ContainsFunc(forms, func(form string) bool {
		return slices.EqualFunc(strings.Fields(form), append([]string{name}, words...), func(want, got string) bool {
			return want == got || want == "FIELD" || want == "CLASS" && slices.Contains(classes, got)
		})
	}) {
		return false
	}
	words = append(words, "", "")
	switch name {
	case "writes":
		d.Writes = words[0]
	case "idempotent":
		d.Idempotent = Repeat{"same", words[0]}
	case "once":
		d.Once = Repeat{words[0], words[1]}
	case "destructive":
		d.Destructive = true
	case "waits":
		d.Waits = words[0]
	case "unordered":
		d.Unordered = true
	case "slot":
		d.OwnSlot = slices.Contains(words, "itself")
		if words[0] != "itself" {
			d.Slot = words[0]
		}
	case "tool":
		d.Personal = true
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
