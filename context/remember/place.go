package remember

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/tickle"
)

const (
	// maxAround bounds the symbols of a location that are looked up; spare is how many more turns
	// are requested than wanted, because not all of them mean the location, and alikeTurns how many
	// more are used, because some have the same content.
	maxAround, spare, alikeTurns = 8, 24, 4
	// manyTurns is the number of turns below which no name counts as common.
	manyTurns = 20
)

// ForPlace returns the turns about a location, best first: about its symbols, or its file.
// onlySymbol restricts them to its first symbol.
func (t *Ticklers) ForPlace(p Place, limit int, onlySymbol bool) ([]tickle.Tickler, error) {
	if onlySymbol {
		p.Symbols = p.Symbols[:min(1, len(p.Symbols))]
	}
	list, err := t.speaking(&p, limit, onlySymbol)
	if err != nil {
		return nil, err
	}
	var out []tickle.Tickler
	for _, f := range list {
		made, err := t.make(place{f.Conversation, f.Turn}, f.Score)
		if err != nil {
			return nil, err
		}
		out = append(out, made)
	}
	return tickle.Choose(out, tickle.Rules{Limit: limit}), nil
}

// speaking returns the turns that may be shown and are about a location, somewhat more than limit.
func (t *Ticklers) speaking(p *Place, limit int, onlySymbol bool) ([]subject.LookupHit, error) {
	p.Symbols = p.Symbols[:min(maxAround, len(p.Symbols))]
	l := subject.Lookup{Limit: limit + spare}
	for _, s := range p.Symbols {
		l.Symbols = append(l.Symbols, s.names()...)
	}
	l.Paths = p.files()
	if len(l.Symbols)+len(l.Paths) == 0 || onlySymbol && len(l.Symbols) == 0 {
		return nil, nil
	}
	found, err := t.View.Mentioning(l)
	if err != nil {
		return nil, err
	}
	rare := make([]bool, len(p.Symbols))
	for i, s := range p.Symbols {
		rare[i] = len(found) < manyTurns
		if !rare[i] {
			alone, err := t.View.Mentioning(subject.Lookup{Symbols: s.names(), Limit: 1})
			if err != nil {
				return nil, err
			}
			rare[i] = !s.common(alone)
		}
	}
	var out []subject.LookupHit
	for _, f := range found {
		if !p.meant(f, rare, onlySymbol) {
			continue
		}
		s, err := t.spoken(place{f.Conversation, f.Turn})
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, f)
		}
		if len(out) == limit+alikeTurns && limit > 1 || limit == 1 && len(out) == 1 {
			break
		}
	}
	return out, nil
}

// files returns those of the location and of its symbols.
func (p *Place) files() []string {
	out := []string{}
	add := func(f string) {
		if f != "" && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	add(p.Path)
	for _, s := range p.Symbols {
		add(s.File)
	}
	return out
}

// meant reports whether a turn is about the location, rather than something else with the same
// name.
func (p *Place) meant(f subject.LookupHit, rare []bool, onlySymbol bool) bool {
	file := p.meansFile(p.Path, f.Paths)
	if file && !onlySymbol {
		return true
	}
	for i, s := range p.Symbols {
		where := p.Path
		if s.File != "" {
			where = s.File
		}
		if s.namedIn(f, where, file || p.meansFile(s.File, f.Paths), rare[i]) {
			return true
		}
	}
	return false
}

// namedIn reports whether a turn means the symbol: certainly by its name, if that is rare, or
// because it names the file too.
func (s Symbol) namedIn(f subject.LookupHit, file string, namesFile, rare bool) bool {
	return slices.ContainsFunc(f.Symbols, func(mention string) bool {
		means, surely := s.namedBy(mention, file)
		return means && (namesFile || surely && rare)
	})
}

// names returns the names by which the symbol is looked up.
func (s Symbol) names() []string {
	if s.Container == "" {
		return []string{s.Name}
	}
	return []string{s.Name, s.qualified()}
}

const (
	// fileTurns bounds the turns known to be about a file when its symbols are looked up
	// individually, and fewTurns those requested for each symbol.
	fileTurns, fewTurns = 64, 6
)

// Pointer is a tickler for a symbol of a file, by the symbol's index; for the file itself that is
// -1.
type Pointer struct {
	Symbol int
	tickle.Tickler
}

// About returns the best turn for each of a file's symbols, and the best one for the file unless a
// symbol has that turn: at most limit, best first, the file's last.
func (t *Ticklers) About(file Place, symbols []Symbol, limit int) ([]Pointer, error) {
	file.Symbols = nil
	of, err := t.speaking(&file, fileTurns, false)
	if err != nil {
		return nil, err
	}
	known := map[place]bool{}
	for _, f := range of {
		known[place{f.Conversation, f.Turn}] = true
	}
	type pointed struct {
		symbol int
		subject.LookupHit
	}
	var found []pointed
	for i, s := range symbols {
		f, err := t.best(file, s, known)
		if err != nil {
			return nil, err
		}
		if f != nil {
			found = append(found, pointed{i, *f})
		}
	}
	slices.SortStableFunc(found, func(a, b pointed) int { return cmp.Compare(b.Score, a.Score) })
	if len(of) > 0 && !slices.ContainsFunc(found, func(f pointed) bool { return f.Conversation == of[0].Conversation && f.Turn == of[0].Turn }) {
		found = append(found[:min(limit-1, len(found))], pointed{-1, of[0]})
	}
	var out []Pointer
	for _, f := range found {
		at := place{f.Conversation, f.Turn}
		if spoken, err := t.spoken(at); err != nil || spoken == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		made, err := t.make(at, f.Score)
		if err != nil {
			return nil, err
		}
		if out = append(out, Pointer{f.symbol, made}); len(out) == limit {
			break
		}
	}
	return out, nil
}

// best returns the turn that is about a symbol most clearly, nil when there is none; ofFile holds
// the turns known to be about its file.
func (t *Ticklers) best(file Place, s Symbol, ofFile map[place]bool) (*subject.LookupHit, error) {
	if ordinary(s.Name) && len(ofFile) == 0 && s.Container == "" {
		return nil, nil
	}
	found, err := t.View.Mentioning(subject.Lookup{Symbols: s.names(), Limit: fewTurns})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	common := s.common(found)
	for i, f := range found {
		if s.namedIn(f, file.Path, ofFile[place{f.Conversation, f.Turn}], !common) {
			return &found[i], nil
		}
	}
	if len(found) < fewTurns || len(ofFile) == 0 {
		return nil, nil
	}
	// Of the many turns that mention the name, one that also names the file may mean it.
	file.Symbols = []Symbol{s}
	all, err := t.speaking(&file, 1, true)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

// Call returns the arguments that fetch a tickler's turn, smoothed; workspace is set if there are
// several roots.
func Call(k tickle.Tickler, workspace string) map[string]any {
	args := map[string]any{"conversationId": k.ConversationID, "turnId": dialogue.TurnID(k.Turn), "level": dialogue.Smoothed.String()}
	if workspace != "" {
		args["workspace"] = workspace
	}
	return args
}
