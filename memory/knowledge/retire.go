package knowledge

import (
	"slices"
	"strings"
)

// filesGone is why a lesson is outdated.
const filesGone = "the files that it changed are gone"

// retire marks learned lessons whose files are all gone from the workspace as outdated, and those
// whose files came back as in force again. They stay in the list of what was superseded.
func (p *run) retire() error {
	if p.in.Gone == nil {
		return nil
	}
	for _, it := range p.items {
		if it.Kind != Lesson || !it.Learned || it.SupersededBy != "" {
			continue
		}
		if err := p.pause(); err != nil {
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
