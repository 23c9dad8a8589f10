package retrieve

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/binding"
	"github.com/contexture-dev/contexture/indexer"
)

// boundIn adds the lines of a file that use a target, by the types and scopes of the file.
func (l *lookup) boundIn(file, order int, uses []binding.Use, out []Occurrence) []Occurrence {
	lines := l.lines(file)
	defined := l.definedIn(file, lines)
	symbols := l.s.Symbols().InFile(file)
	if language := l.s.Language(file); slices.Contains(prototyped, language) || language == "csharp" { // where definitions declare their names
		defined = nil
	}
	for _, u := range uses {
		if u.Declares || u.Line >= len(lines) || defined[u.Line] || l.headers[placeOf{file, u.Line}] {
			continue
		}
		chance := l.chance(u)
		if chance == 0 {
			continue
		}
		in, _ := holder(symbols, u.Line)
		o := Occurrence{
			File: file, Path: l.s.Path(file), Line: u.Line, Text: lineText(lines[u.Line]), Whole: lines[u.Line], In: fullName(in), Calls: u.Call,
			Chance: chance, order: order,
		}
		if k := len(out) - 1; k >= 0 && out[k].File == file && out[k].Line == u.Line {
			out[k].Calls, out[k].Chance = out[k].Calls || o.Calls, max(out[k].Chance, o.Chance)
			continue
		}
		out = append(out, o)
	}
	return out
}

// mentionedIn adds the lines of a file's comments and strings that have the name.
func (l *lookup) mentionedIn(file int) {
	lines := l.lines(file)
	for _, n := range l.bindings.Mentions(file) {
		switch {
		case n >= len(lines):
		case len(l.answer.Mentions) >= l.query.Limit:
			l.answer.MoreMentions++
		default:
			l.answer.Mentions = append(l.answer.Mentions, Occurrence{File: file, Path: l.s.Path(file), Line: n, Text: lineText(lines[n]), Whole: lines[n]})
		}
	}
}

// lineText returns a line as it is shown.
func lineText(line string) string {
	text := strings.TrimSpace(line)
	if len(text) > maxLineText {
		text = strings.ToValidUTF8(text[:maxLineText], "") + "…"
	}
	return text
}

// isOpen is the probability of a use whose meaning the syntax does not show, until it is estimated.
const isOpen = -1

// chance returns how probable it is that a use means a target: 1 when its type shows it, less when
// it may run a target as what another definition stands for, and isOpen when nothing shows it.
func (l *lookup) chance(u binding.Use) float64 {
	switch {
	case u.Open:
		if u.Member && !slices.ContainsFunc(l.targets, func(d indexer.Symbol) bool { return d.Container != "" }) {
			return 0
		}
		return isOpen
	case slices.ContainsFunc(u.Defs, func(d indexer.Symbol) bool { return slices.Contains(l.targets, d) }):
		l.meant++
		l.known++
		return 1
	}
	l.known++
	best := 0.
	for _, d := range u.Defs {
		for _, t := range l.targets {
			best = max(best, l.runs(d, t))
		}
	}
	if best > 0 {
		l.meant++
	}
	return best
}

// runs returns the probability that a call of one method runs another, or stands for it: of a
// method without a body any of its implementations may run, of one with a body one of those that
// replace it.
func (l *lookup) runs(called, target indexer.Symbol) float64 {
	if called.Container == "" || target.Container == "" || !IsCallable(called) || !IsCallable(target) || !l.bindings.Alike(called, target) {
		return 0
	}
	if l.s.Language(called.File) == "rust" {
		if l.bindings.Stands(called, target) {
			return maybe
		}
		return 0
	}
	of, ok := l.bindings.TypeOf(called)
	other, ok2 := l.bindings.TypeOf(target)
	hasNoBody := func() bool { return of.Kind == "interface" || l.bare(called) }
	switch {
	case !ok:
		return 0
	case !ok2: // its type may have no name
		below := func(t indexer.Symbol) bool { return t == of || l.bindings.Inherits(t, of) }
		if slices.ContainsFunc(l.bindings.Above(target), below) && hasNoBody() {
			return maybe
		}
		return 0
	case l.bindings.Inherits(other, of):
		if hasNoBody() {
			return maybe
		}
		return 1 / float64(1+l.replacing(called, of))
	case (other.Kind == "interface" || l.bare(target)) && l.bindings.Inherits(of, other):
		return maybe
	}
	return 0
}

// replacing returns how many methods of the types below one replace its method.
func (l *lookup) replacing(method, of indexer.Symbol) (n int) {
	for _, d := range l.all {
		if t, ok := l.bindings.TypeOf(d); ok && d != method && l.bindings.Inherits(t, of) {
			n++
		}
	}
	return n
}

// estimate sets the probability of the uses whose meaning is open: the share of the targets among
// the uses whose meaning is known, or among the members of that name as long as few are.
func (l *lookup) estimate(found []Occurrence) {
	members, targets := 0, 0
	for _, d := range l.all {
		if d.Container == "" {
			continue
		}
		members++
		if slices.Contains(l.targets, d) {
			targets++
		}
	}
	share := (float64(l.meant) + float64(targets)/float64(max(members, 1))) / float64(l.known+1)
	for i := range found {
		if found[i].Chance == isOpen {
			found[i].Chance = share
		}
	}
}
