package knowledge

import (
	"slices"
	"strings"
)

// filesGone is the reason of an outdated lesson.
const filesGone = "the files that it changed are gone"

// retire marks learned lessons as outdated when all their files were removed from the workspace,
// and as active again when files came back. They stay in the list of superseded items.
func (p *pass) retire() error {
	if p.in.Gone == nil {
		return nil
	}
	for _, it := range p.items {
		if it.Kind != Lesson || !it.Learned || it.SupersededBy != "" {
			continue
		}
		if err := p.pacer.pause(); err != nil {
			return err
		}
		why := ""
		files := slices.DeleteFunc(slices.Clone(it.Worked), func(w string) bool { return strings.ContainsAny(w, " ") || !strings.Contains(w, ".") })
		if len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !p.in.Gone(f) }) {
			why = filesGone
		}
		if why == it.Outdated {
			continue
		}
		if err := p.shelf.put(it); err != nil {
			return err
		}
		if it.Outdated = why; why != "" {
			p.out.Pruned++
		}
	}
	return nil
}
