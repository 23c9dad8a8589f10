package source

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Decide reports whether a path is indexed and which rule decides. It checks the folders above, the
// settings, the ignore files, the built-in rules and finally the content. An excluded path need not
// exist.
func (t *Tree) Decide(rel string) Decision {
	d := t.decide(rel)
	if d.Rule != nil { // a line of a file: the ignore file's, or the one that marks generated code
		rule := *d.Rule
		rule.Pattern = string(t.Redact("", []byte(rule.Pattern)))
		d.Rule = &rule
	}
	return d
}

func (t *Tree) decide(rel string) Decision {
	cleaned, ok := clean(rel)
	if !ok {
		return Decision{Reason: OutsideRoot, Rule: &Rule{Pattern: "the path leads out of the workspace", Source: builtIn}}
	}
	if cleaned == "" {
		return Decision{Reason: Directory}
	}
	real, _, linkReason, _ := t.resolve(cleaned)
	st, err := t.root.lstat(real)
	isDir := err == nil && st.isDir() || err != nil && strings.HasSuffix(rel, "/")
	v := t.rules.Load().verdict(cleaned, isDir)
	if v.reason != Indexed {
		return Decision{Reason: v.reason, Rule: v.rule}
	}
	switch {
	case linkReason == Link:
		return Decision{Reason: Link, Rule: t.linkRule()}
	case isDir:
		return Decision{Reason: t.folderReason(real), Rule: v.rule}
	}
	if real != cleaned {
		if tv := t.rules.Load().verdict(real, false); tv.reason != Indexed {
			return Decision{Reason: tv.reason, Rule: tv.rule}
		}
	}
	_, _, reason, rule, _ := t.read(cleaned)
	if reason == Indexed {
		return Decision{Indexed: true, Rule: v.rule}
	}
	return Decision{Reason: reason, Rule: rule}
}

func (t *Tree) linkRule() *Rule {
	if t.opts.FollowLinks {
		return &Rule{Pattern: "a link that goes in circles, leads nowhere or out of the workspace", Source: builtIn}
	}
	return &Rule{Pattern: "a link, or behind one (index.followLinks is off)", Source: builtIn}
}

// verdict returns the decision about any path: judge's, or that of enter for a folder.
func (r *rules) verdict(rel string, isDir bool) verdict {
	if isDir {
		if f := r.folder(rel); f.pruned != Indexed || rel == "" {
			return verdict{reason: f.pruned, rule: f.rule}
		}
	}
	return r.judge(r.folder(parentOf(rel)), rel, isDir)
}

// Admit reports whether the rules admit a path, for example that of an unsaved buffer; the file
// need not exist. Links are judged as in Walk: not followed, or by their target.
func (t *Tree) Admit(rel string) bool {
	rel, ok := clean(rel)
	return ok && rel != "" && t.rules.Load().admit(rel)
}

func (r *rules) admit(rel string) bool {
	t := r.t
	if r.verdict(rel, false).reason != Indexed {
		return false
	}
	real, _, reason, err := t.resolve(rel)
	switch {
	case err != nil: // does not exist yet: its folders must not lead elsewhere
		return reason == NotFound && r.reachable(parentOf(rel))
	case reason != Indexed:
		return false
	case real != rel && r.verdict(real, false).reason != Indexed:
		return false
	}
	st, err := t.root.lstat(real)
	return err != nil || !st.isDir()
}

// reachable reports whether the deepest existing part of a folder's path is a folder of the root.
// Links count only if they are followed.
func (r *rules) reachable(dir string) bool {
	t := r.t
	for dir != "" {
		real, _, reason, _ := t.resolve(dir)
		switch reason {
		case Indexed:
			st, err := t.root.lstat(real)
			return err == nil && st.isDir() && (real == dir || r.folder(real).pruned == Indexed)
		case NotFound:
			dir = parentOf(dir)
		default:
			return false
		}
	}
	return true
}

// IgnoredDir reports whether a walk skips a folder: the rules prune it and index.include
// re-includes nothing below it.
func (t *Tree) IgnoredDir(rel string) bool {
	rel, ok := clean(rel)
	if !ok {
		return true
	}
	r := t.rules.Load()
	f := r.folder(rel)
	return f.pruned != Indexed && !r.mayHold(f, rel)
}

// RulesFile reports whether a change to this path, relative to the root or absolute, changes the
// rules, so that the caller must call Reload and Walk again.
func (t *Tree) RulesFile(rel string) bool {
	if filepath.IsAbs(rel) {
		if slices.Contains(t.rules.Load().outside, filepath.Clean(rel)) {
			return true
		}
		inside, ok := t.Rel(rel)
		if !ok {
			return false
		}
		rel = inside
	}
	rel, ok := clean(rel)
	if !ok {
		return false
	}
	switch path.Base(rel) {
	case gitIgnore, contextureIgnore:
		return !t.IgnoredDir(parentOf(rel))
	case "CACHEDIR.TAG", "pyvenv.cfg", StateMarker:
		return true
	}
	return isRepositoryRule(rel) || slices.Contains(t.rules.Load().outside, filepath.Join(t.root.path, filepath.FromSlash(rel)))
}

// isRepositoryRule reports whether a path is one of the files in a .git folder that affect the
// rules.
func isRepositoryRule(rel string) bool {
	for _, file := range []string{".git", ".git/config", ".git/info/exclude"} {
		if rel == file || strings.HasSuffix(rel, "/"+file) {
			return true
		}
	}
	return false
}

// RulesFiles returns the absolute paths, existing or not, of the rule files that a walk does not
// visit: the user's own, .git/info/exclude, and those of the folders above the root up to the top
// of the repository.
func (t *Tree) RulesFiles() []string { return slices.Clone(t.rules.Load().outside) }
