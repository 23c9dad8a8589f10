package impact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

const (
	maxTouched = 60 // definitions whose users are searched for
	maxFarther = 30 // users whose users are searched for, at each further step
	usersFiles = 24 // files that are read for the users of a definition
)

// user is a definition that uses another one.
type user struct {
	symbol indexer.Symbol
	why    string
}

// dependents finds what uses the touched definitions, to a depth, and what implements them. Tests
// are left out. Callers that may mean another definition come last, and nothing follows from them.
func (f *finder) dependents(ctx context.Context, depth int) {
	order := map[string][]user{}
	for i := range f.changed {
		file := &f.changed[i]
		if file.isTest() || !retrieve.IsCode(file.Language) {
			continue
		}
		for _, d := range file.touched() {
			if !retrieve.IsData(d.Kind) {
				order[d.How] = append(order[d.How], user{symbol: f.current(file, d)})
			}
		}
	}
	step := slices.Concat(order[Removed], order[Changed], order[Added]) // who uses what is gone fails
	f.cut(&step, maxTouched)
	seen := map[string]bool{}
	for _, u := range step {
		seen[keyOf(u.symbol)] = true
	}
	defer func() { f.out.Callers = append(f.out.Callers, f.unsure...) }()
	for ; depth > 0 && len(step) > 0; depth-- {
		var next []user
		for _, u := range step {
			if ctx.Err() != nil {
				f.out.Partial = true
				return
			}
			next = append(next, f.usersOf(ctx, u, seen)...)
		}
		step = next
		f.cut(&step, maxFarther)
	}
}

// cut shortens a list of definitions whose users are searched for.
func (f *finder) cut(list *[]user, most int) {
	if len(*list) > most {
		*list, f.out.Partial = (*list)[:most], true
	}
}

func keyOf(y indexer.Symbol) string { return fmt.Sprint(y.Path, "\x00", y.Container, "\x00", y.Name) }

// current returns a definition as the index has it now: where the working tree differs from the
// compared state, its lines are others.
func (f *finder) current(file *File, d Definition) indexer.Symbol {
	y := indexer.Symbol{Name: d.Name, Container: d.Container, Kind: d.Kind, Path: file.Path, Line: d.Line, EndLine: d.EndLine, File: -1}
	number, ok := f.s.File(file.Path)
	if !ok {
		return y
	}
	y.File = number
	best := -1
	for i, at := range f.symbols(number) {
		if at.Name == d.Name && at.Container == d.Container && at.Kind == d.Kind && (best < 0 || at.Line <= d.Line) {
			best = i
		}
	}
	if best >= 0 {
		return f.symbols(number)[best]
	}
	return y
}

// symbols returns the definitions of a file.
func (f *finder) symbols(file int) []indexer.Symbol {
	list, known := f.bySymbol[file]
	if !known {
		list = f.s.Symbols().InFile(file)
		f.bySymbol[file] = list
	}
	return list
}

// usersOf adds what uses a definition, and returns the functions and types that do so for the first
// time.
func (f *finder) usersOf(ctx context.Context, of user, seen map[string]bool) (next []user) {
	uses, implementations := retrieve.Dependents(ctx, f.s, f.reader, of.symbol, usersFiles)
	why := of.symbol.Name
	if of.why != "" {
		why += ", which " + of.why
	}
	for _, d := range implementations {
		if key := keyOf(d.Symbol); !seen[key] && !retrieve.IsTest(d.Path) {
			seen[key] = true
			f.out.Implementations = append(f.out.Implementations, placeOf(d.Symbol, "implements "+why))
			next = append(next, user{d.Symbol, "implements " + why})
		}
	}
	for _, o := range uses {
		if retrieve.IsTest(o.Path) {
			continue
		}
		verb := "uses "
		switch {
		case o.Chance < 1:
			verb = "may call "
		case o.Calls:
			verb = "calls "
		}
		in, inside := f.around(o)
		key := keyOf(in)
		if seen[key] {
			continue
		}
		seen[key] = true
		p := Place{Path: o.Path, Line: o.Line, EndLine: o.Line, Name: strings.TrimPrefix(fullName(in), "."), Kind: in.Kind, Why: verb + why}
		if o.Chance < 1 {
			f.unsure = append(f.unsure, p)
			continue
		}
		f.out.Callers = append(f.out.Callers, p)
		if inside {
			next = append(next, user{in, verb + why})
		}
	}
	return next
}

// around returns the innermost function or type that contains a use; of a line outside of all, its
// file.
func (f *finder) around(o retrieve.Occurrence) (in indexer.Symbol, inside bool) {
	in = indexer.Symbol{Path: o.Path, File: o.File}
	for _, y := range f.symbols(o.File) { // inner ones come later
		if y.Line <= o.Line && o.Line <= y.EndLine && !retrieve.IsData(y.Kind) {
			in, inside = y, true
		}
	}
	return in, inside
}

func fullName(y indexer.Symbol) string {
	return strings.TrimLeft(y.Container, "*&") + "." + y.Name
}

func placeOf(y indexer.Symbol, why string) Place {
	return Place{Path: y.Path, Line: y.Line, EndLine: y.EndLine, Name: strings.TrimPrefix(fullName(y), "."), Kind: y.Kind, Why: why}
}
