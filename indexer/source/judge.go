package source

// judge returns the decision of the rules about an entry of a folder by its name. For a folder it
// is not final: enter checks its content.
func (r *rules) judge(f *folder, rel string, isDir bool) verdict {
	v := verdict{reason: f.pruned, rule: f.rule, own: f.own}
	if v.own {
		return v
	}
	if v.reason == Indexed {
		v = r.byPath(f, rel, isDir)
	}
	if r.plain {
		return v
	}
	if rule := r.t.ownRule(rel); rule != nil {
		return verdict{reason: Excluded, rule: rule, own: true}
	}
	vcs := f.vcs
	if name := baseName(rel); vcs == "" && isDir && vcsFolders[name] {
		vcs = name
	}
	switch g := r.t.include.find(rel, vcs); {
	case g != nil:
		if v.reason != Indexed || v.rule == nil {
			v = verdict{rule: g.rule(indexInclude)}
		}
		v.lifted = v.lifted || isDir || v.byInclude()
	case v.reason != Indexed:
		return v
	}
	if isDir {
		return v
	}
	reason, rule := r.t.nameRule(rel)
	if reason == Indexed || reason != Binary && (v.lifted && !v.byInclude() || r.t.include.findNamed(rel) != nil) {
		return v
	}
	return verdict{reason: reason, rule: rule}
}

// The settings, as Rule.Source names them.
const (
	indexInclude = "index.include"
	indexExclude = "index.exclude"
)

func (v verdict) byInclude() bool { return v.rule != nil && v.rule.Source == indexInclude }

func (g *glob) rule(setting string) *Rule { return &Rule{Pattern: g.written, Source: setting} }

// byPath applies index.exclude, the ignore files and the list of vendored folders, in this order.
func (r *rules) byPath(f *folder, rel string, isDir bool) verdict {
	if !r.plain {
		if g := r.t.exclude.find(rel, ""); g != nil {
			return verdict{reason: Excluded, rule: g.rule(indexExclude)}
		}
	}
	full := rel
	if r.prefix != "" {
		full = r.prefix + rel
	}
	list, p := r.match(f.lists, full, isDir)
	var v verdict
	if p != nil {
		v.rule = &Rule{Pattern: p.raw, Source: list.source, Line: p.line}
		if !p.negative {
			v.reason = Ignored
			return v
		}
		v.lifted = list.contexture && p.named(isDir)
	}
	if isDir && !v.lifted && !r.plain {
		if rule := vendoredRule(baseName(rel)); rule != nil {
			return verdict{reason: Vendored, rule: rule}
		}
	}
	return v
}

// mayHold reports whether index.include could re-include something below a pruned folder.
func (r *rules) mayHold(f *folder, rel string) bool {
	if f.own {
		return false
	}
	for i := range r.t.include {
		g := &r.t.include[i]
		if g.reaches(rel) && (f.vcs == "" || g.spells(f.vcs)) {
			return true
		}
	}
	return false
}
