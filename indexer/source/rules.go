package source

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// rules are all rules as of one Reload. A folder is read on the first request and cached until the
// next Reload.
type rules struct {
	t       *Tree
	prefix  string   // the root's path from the top of its repository, with a trailing slash; "" at the top
	fold    bool     // core.ignoreCase
	plain   bool     // Git's rules only: no built-in ones, no settings (for the differential test)
	outside []string // rule files that a walk of the root does not meet, absolute
	stamps  []stamp  // of outside, one each

	mu      sync.RWMutex
	folders map[string]*folder // guarded by mu; key is the path relative to the root
}

// A folder holds the rules for one folder of the root, existing or not. It is immutable.
type folder struct {
	lists  []*ruleList // the rule files that apply to its entries, highest precedence first
	pruned Reason      // why nothing below is indexed unless index.include matches
	rule   *Rule       // the rule that pruned it
	own    bool        // the program's own: pruned, and index.include does not apply
	vcs    string      // name of the version control folder it is or lies in
	repo   *repository // the nearest one, or nil
	stamps *ruleStamps // of its own rule files; nil when it was not read
}

// A verdict is the decision of the rules about a path by its name.
type verdict struct {
	reason Reason
	rule   *Rule
	lifted bool // re-included by name: built-in rules about folders do not apply
	own    bool // the program's own: never re-included
}

const (
	gitIgnore        = ".gitignore"
	contextureIgnore = ".contextureignore"
)

// ruleNames are the rule files of a folder, lowest precedence first.
var ruleNames = [...]string{gitIgnore, contextureIgnore}

func newRules(t *Tree) *rules {
	r := &rules{t: t, folders: map[string]*folder{}}
	repo := enclosing(t.root.path)
	top := filepath.VolumeName(t.root.path) + string(filepath.Separator) // without a repository git runs at the top
	if repo != nil {
		top = repo.top
	}
	cfg := readGitConfig(top, t.opts.Home)
	r.fold = cfg.ignoreCase
	global := t.opts.GlobalIgnore
	if global == "" {
		global = cfg.excludesFile
	}
	var lists []*ruleList
	if global != "" {
		lists = r.prepend(lists, expandHome(global, t.opts.Home, t.root.path), 0, false)
	}
	if repo != nil {
		var holds bool
		if lists, holds = r.fromRepository(lists, repo); !holds {
			repo = nil
		}
	}
	r.folders[""] = r.withOwn(&folder{lists: lists, repo: repo}, "", t.root.names(""))
	return r
}

// fromRepository adds the rules of the repository around the root, down to the root's parent. If
// they exclude the root itself, none of them applies: the user chose that root, and nothing in it
// would be indexed otherwise.
func (r *rules) fromRepository(global []*ruleList, repo *repository) (lists []*ruleList, holds bool) {
	outside := len(r.outside)
	lists = r.prepend(global, repo.excludeFile(), 0, false)
	inner, _ := below(repo.top, r.t.root.path)
	for at := 0; at < len(inner); {
		dir := filepath.Join(repo.top, inner[:at])
		base := at
		if at > 0 {
			base++
		}
		for _, name := range ruleNames {
			lists = r.prepend(lists, filepath.Join(dir, name), base, true)
		}
		next := strings.IndexByte(inner[base:], '/')
		if next < 0 {
			next = len(inner)
		} else {
			next += base
		}
		if _, p := r.match(lists, inner[:next], true); p != nil && !p.negative {
			r.outside, r.stamps = r.outside[:outside], r.stamps[:outside]
			return global, false
		}
		at = next
	}
	if inner != "" {
		r.prefix = inner + "/"
	}
	return lists, true
}

// prepend reads a rule file by its absolute path and prepends it to lists. An unreadable file has
// no rules, as in Git.
func (r *rules) prepend(lists []*ruleList, file string, base int, noFollow bool) []*ruleList {
	r.outside, r.stamps = append(r.outside, file), append(r.stamps, stampOutside(file))
	data, err := readRuleFile(file, noFollow)
	if err != nil {
		return lists
	}
	source := file
	if rel, ok := below(r.t.root.path, file); ok {
		source = rel
	}
	return r.with(lists, data, source, base)
}

// with prepends a rule file's patterns to lists.
func (r *rules) with(lists []*ruleList, data []byte, source string, base int) []*ruleList {
	list := parseRules(data, r.fold)
	if len(list.patterns) == 0 {
		return lists
	}
	list.source, list.base = source, base
	list.contexture = path.Base(source) == contextureIgnore
	return slices.Concat([]*ruleList{list}, lists)
}

// withOwn adds to a folder its own rule files and the repository whose top it is.
func (r *rules) withOwn(f *folder, rel string, names []string) *folder {
	dir, base := "", len(r.prefix)
	if rel != "" {
		dir, base = rel+"/", base+len(rel)+1
	}
	if rel != "" && slices.Contains(names, ".git") {
		if repo := openRepository(filepath.Join(r.t.root.path, filepath.FromSlash(rel))); repo != nil {
			repo.rel, repo.inside = rel, true
			f.repo = repo
			// Its own exclude file applies below, after any .gitignore in it.
			f.lists = r.prependNested(f.lists, repo, base)
		}
	}
	if names != nil {
		f.stamps = &ruleStamps{}
	}
	for i, name := range ruleNames {
		if !slices.Contains(names, name) {
			continue
		}
		f.stamps[i] = stampOf(r.t.root.lstat(dir + name))
		if data := r.t.ruleFile(dir + name); data != nil {
			f.lists = r.with(f.lists, data, dir+name, base)
		}
	}
	return f
}

func (r *rules) prependNested(lists []*ruleList, repo *repository, base int) []*ruleList {
	file := repo.excludeFile()
	data, err := readRuleFile(file, false)
	if err != nil {
		return lists
	}
	if rel, ok := below(r.t.root.path, file); ok {
		file = rel
	}
	return r.with(lists, data, file, base)
}

// ruleFile returns the content of an ignore file inside the root, or nil; links are not followed,
// as in Git.
func (t *Tree) ruleFile(rel string) []byte {
	file, st, err := t.root.open(rel)
	if err != nil {
		return nil
	}
	defer closeFile(file)
	data, err := readRules(file, st.size)
	if err != nil {
		return nil
	}
	return data
}

// folder returns the rules of a folder. It reads the folder and its parents on the first request.
func (r *rules) folder(rel string) *folder {
	r.mu.RLock()
	f := r.folders[rel]
	r.mu.RUnlock()
	if f != nil {
		return f
	}
	exists := true
	f = r.enter(r.folder(parentOf(rel)), rel, func() []string {
		names := r.t.root.names(rel)
		exists = names != nil
		return names
	})
	if !exists {
		return f // not cached: it may be created
	}
	return r.keep(rel, f)
}

// keep caches a folder and returns the one that was cached first.
func (r *rules) keep(rel string, f *folder) *folder {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.folders[rel]; known != nil {
		return known
	}
	r.folders[rel] = f
	return f
}

// enter builds the folder rel of parent. names returns the names in it, nil if unknown; it is not
// called if the folder's name alone decides.
func (r *rules) enter(parent *folder, rel string, names func() []string) *folder {
	name := baseName(rel)
	f := &folder{vcs: parent.vcs, repo: parent.repo}
	if f.vcs == "" && vcsFolders[name] {
		f.vcs = name
	}
	v := r.judge(parent, rel, true)
	f.pruned, f.rule, f.own = v.reason, v.rule, v.own
	if f.pruned != Indexed && !r.mayHold(f, rel) {
		return f
	}
	held := names()
	if rule := stateRule(rel, held); rule != nil && !r.plain {
		f.pruned, f.rule, f.own = Excluded, rule, true
	}
	if f.pruned != Indexed {
		return f
	}
	f.lists = parent.lists
	if held != nil && !v.lifted && !r.plain {
		if rule := r.worktreeRule(parent, rel, held); rule != nil {
			return &folder{pruned: Excluded, rule: rule, repo: f.repo}
		}
		if rule := r.markerRule(rel, held); rule != nil {
			return &folder{pruned: Vendored, rule: rule, repo: f.repo}
		}
		if r.isBuildOutput(parent, rel, name, held) {
			rule := &Rule{Pattern: name + "/ (build output: Git tracks nothing in it and it holds no source of its own)", Source: builtIn}
			return &folder{pruned: Vendored, rule: rule, repo: f.repo}
		}
	}
	return r.withOwn(f, rel, held)
}

// inRepository converts a path relative to the root into one relative to the top of its repository.
func (r *rules) inRepository(repo *repository, rel string) string {
	if repo.inside {
		return rel[len(repo.rel)+1:]
	}
	return r.prefix + rel
}

// match returns the pattern that decides about a path, which is relative to the top of the
// repository.
func (r *rules) match(lists []*ruleList, full string, isDir bool) (*ruleList, *pattern) {
	if r.fold {
		full = lowerASCII(full)
	}
	name := baseName(full)
	for _, l := range lists {
		if p := l.match(full, name, isDir); p != nil {
			return l, p
		}
	}
	return nil, nil
}

func baseName(rel string) string { return rel[strings.LastIndexByte(rel, '/')+1:] }

// parentOf returns the folder that rel is in, "" for the root.
func parentOf(rel string) string {
	if slash := strings.LastIndexByte(rel, '/'); slash >= 0 {
		return rel[:slash]
	}
	return ""
}
