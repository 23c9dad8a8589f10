package remember

import (
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/entity"
	"github.com/contexture-dev/contexture/memory/tickle"
)

const (
	// maxAround bounds the symbols of a place that are looked up; spare is how many turns more than wanted are asked
	// for, because not all of them mean the place.
	maxAround, spare = 8, 24
)

// ForPlace gives the turns that speak of a place, best first: of its symbols, or of its file. onlySymbol takes those
// alone that speak of its first symbol.
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

// speaking gives the turns that may be shown and speak of a place, some more than limit.
func (t *Ticklers) speaking(p *Place, limit int, onlySymbol bool) ([]entity.Found, error) {
	p.Symbols = p.Symbols[:min(maxAround, len(p.Symbols))]
	l := entity.Lookup{Limit: limit + spare}
	for _, s := range p.Symbols {
		l.Symbols = append(l.Symbols, s.Name)
		if s.Container != "" {
			l.Symbols = append(l.Symbols, s.qualified())
		}
	}
	l.Paths = p.files()
	if len(l.Symbols)+len(l.Paths) == 0 || onlySymbol && len(l.Symbols) == 0 {
		return nil, nil
	}
	found, err := t.View.Mentioning(l)
	if err != nil {
		return nil, err
	}
	rare := map[Symbol]bool{}
	for _, s := range p.Symbols {
		many := false
		if len(found) > spare {
			if many, err = t.common(s); err != nil {
				return nil, err
			}
		}
		rare[s] = !many
	}
	var out []entity.Found
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
		if len(out) == limit+spare/2 {
			break
		}
	}
	return out, nil
}

// files are those of the place and of its symbols.
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

// meant reports whether a turn speaks of the place, and not of something else by the same name.
func (p *Place) meant(f entity.Found, rare map[Symbol]bool, onlySymbol bool) bool {
	file := p.meansFile(p.Path, f.Paths)
	if file && !onlySymbol {
		return true
	}
	for _, s := range p.Symbols {
		where := p.Path
		if s.File != "" {
			where = s.File
		}
		file := file || p.meansFile(s.File, f.Paths)
		if slices.ContainsFunc(f.Symbols, func(mention string) bool {
			means, surely := s.namedBy(mention, where)
			return means && (file || surely && rare[s])
		}) {
			return true
		}
	}
	return false
}

// About gives for each of several places the turn that speaks of its first symbol best, and for the file the turn that
// speaks of it and is none of those; nil where there is none. All places are in the file.
func (t *Ticklers) About(file Place, symbols []Symbol) (list []*tickle.Tickler, whole *tickle.Tickler, err error) {
	list = make([]*tickle.Tickler, len(symbols))
	shown := map[place]bool{}
	one := func(p Place, onlySymbol bool) (*tickle.Tickler, error) {
		found, err := t.speaking(&p, 1, onlySymbol)
		if err != nil || len(found) == 0 || !onlySymbol && shown[place{found[0].Conversation, found[0].Turn}] {
			return nil, err
		}
		at := place{found[0].Conversation, found[0].Turn}
		shown[at] = true
		made, err := t.make(at, found[0].Score)
		if errors.Is(err, conversation.ErrNotFound) {
			return nil, nil
		}
		return &made, err
	}
	for i, s := range symbols {
		file.Symbols = []Symbol{s}
		if list[i], err = one(file, true); err != nil {
			return nil, nil, err
		}
	}
	file.Symbols = nil
	whole, err = one(file, false)
	return list, whole, err
}

// Call is the arguments that fetch a tickler's turn, smoothed; workspace is given where there are several roots.
func Call(k tickle.Tickler, workspace string) map[string]any {
	args := map[string]any{"conversationId": k.ConversationID, "turnId": dialogue.TurnID(k.Turn), "level": dialogue.Smoothed.String()}
	if workspace != "" {
		args["workspace"] = workspace
	}
	return args
}
