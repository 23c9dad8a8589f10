package source

import (
	"slices"
	"strings"
)

// buildFolders are usually build output and sometimes written by people: Go's own tree has go/build
// and cmd/dist. Each name maps to the extensions whose presence directly in the folder makes it
// source.
var buildFolders = map[string]map[string]bool{
	"build":  set(sourceExts + " sh bash bat ps1 mk mjs cmake"),
	"dist":   set(sourceExts + " sh"),
	"out":    set(sourceExts),
	"target": set(sourceExts),
	"obj":    set("go c h cc cpp hpp rs swift kt scala py"),
	"bin":    set(sourceExts + " sh bash zsh fish bat cmd ps1 js mjs cjs pl lua tcl awk"),
}

// sourceExts excludes what builds write: JavaScript, declarations, classes.
const sourceExts = "go py rs java kt kts scala ts tsx c h cc cpp cxx hpp cs rb php swift ex exs erl hs ml clj proto"

// isBuildOutput reports whether a folder with one of the names in buildFolders is build output. It
// is unless Git tracks a file in it or it directly contains source.
func (r *rules) isBuildOutput(parent *folder, rel, name string, names []string) bool {
	exts, ambiguous := buildFolders[name]
	if !ambiguous {
		return false
	}
	if slices.ContainsFunc(names, func(n string) bool { return isSourceName(n, exts) }) {
		return false
	}
	if name == "bin" && r.hasScript(rel, names) {
		return false
	}
	return parent.repo == nil || !parent.repo.tracks(r.inRepository(parent.repo, rel))
}

func isSourceName(name string, exts map[string]bool) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && exts[name[dot+1:]] && !strings.HasSuffix(name, ".d.ts")
}

// maxScriptProbes bounds how many files of a bin folder are opened.
const maxScriptProbes = 8

// hasScript reports whether one of the first files without an extension in a bin folder begins with
// "#!", as bin/rails and bin/console do.
func (r *rules) hasScript(rel string, names []string) bool {
	slices.Sort(names)
	probes := 0
	for _, name := range names {
		if strings.Contains(name, ".") {
			continue
		}
		if probes++; probes > maxScriptProbes {
			return false
		}
		if string(r.t.root.head(rel+"/"+name, 2)) == "#!" {
			return true
		}
	}
	return false
}

// cacheSignature is the beginning of a valid CACHEDIR.TAG (bford.info/cachedir).
const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

// markerRule returns the rule for a folder that a file in it marks as a cache or an environment, or
// nil.
func (r *rules) markerRule(rel string, names []string) *Rule {
	for _, m := range markerFiles {
		if !slices.Contains(names, m.name) {
			continue
		}
		if m.name == "CACHEDIR.TAG" && string(r.t.root.head(rel+"/"+m.name, int64(len(cacheSignature)))) != cacheSignature {
			continue
		}
		return &Rule{Pattern: rel[strings.LastIndexByte(rel, '/')+1:] + "/ (" + m.what + ")", Source: builtIn}
	}
	return nil
}
