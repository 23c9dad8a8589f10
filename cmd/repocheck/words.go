package repocheck

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// The words that the rules search for are concatenated here, so that this file does not contain
// them.
var (
	unfinishedWords = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}
	unfinished      = regexp.MustCompile(`\b(` + strings.Join(unfinishedWords, "|") + `)\b`)
	// starting is a call that [Contexts] checks.
	starting = "context." + "TO" + "DO"
	// machine matches a path that exists only on a certain machine: of the root user, or of a
	// build's own folder.
	machine      = regexp.MustCompile(`(^|[^\w.~/*-])/(wo` + `rk|ro` + `ot)/[\w.]`)
	machineRoots = []string{"/wo" + "rk/", "/ro" + "ot/"}
	// registryNames are of hosts that serve packages. No code here connects to one, and no file
	// names the one that a machine uses.
	registryNames = []string{
		`registry.` + `npmjs`, `registry.` + `yarnpkg`, `proxy.` + `golang`, `sum.` + `golang`, `files.` + `pythonhosted`, `pypi.` + `org`,
		`index.crates.` + `io`, `static.crates.` + `io`, `rubygems.` + `org`, `repo.` + `maven`, `repo1.` + `maven`, `deb.` + `debian`, `ghcr.` + `io`, `docker.` + `io`,
	}
	registries = regexp.MustCompile(`\b(` + strings.ReplaceAll(strings.Join(registryNames, "|"), ".", `\.`) + `)`)
	address    = regexp.MustCompile(`\bhttps?://[^\s"'` + "`" + `<>)\]}]*`)
)

// quoted are files that hold addresses as text and talk to none of them.
var quoted = []exception{
	{"context/intent/code_test.go", "prompts that hold an address"},
	{"cmd/contexture/picture_test.go", "the name of SVG's namespace, which is an address"},
	{"cmd/gen/components.go", "copyright notices, which are quoted with the addresses in them"},
	{"cmd/gen/schema.go", "the name of the JSON Schema dialect, which is an address"},
	{"server/panel/assets/workbench.js", "the names of XML's namespaces, which are addresses, and which Preact creates SVG with"},
}

// Unfinished checks that code has no words of unfinished work.
func Unfinished(t *Tree) []Finding {
	return t.grep(isCode, unfinishedWords, func(line string) string {
		if m := unfinished.FindString(strings.ReplaceAll(line, starting, "")); m != "" {
			return fmt.Sprintf("says %s: finish it, or write down the limit", m)
		}
		return ""
	})
}

// MachinePaths checks that no file, fixtures among them, names a place on one machine.
func MachinePaths(t *Tree) []Finding {
	all := &Tree{Files: slices.Concat(t.Files, t.Fixtures)}
	return all.grep(func(string) bool { return true }, machineRoots, func(line string) string {
		if m := machine.FindString(line); m != "" {
			return fmt.Sprintf("names a path of one machine: %s…", strings.TrimSpace(m))
		}
		return ""
	})
}

// Hosts checks that code names no host but this machine: what is not named cannot be talked to.
// Names reserved for documentation are fine, and so are links in comments, but no package registry
// anywhere.
func Hosts(t *Tree) []Finding {
	out := t.grep(func(string) bool { return true }, registryNames, func(line string) string {
		if m := registries.FindString(strings.ToLower(line)); m != "" {
			return fmt.Sprintf("names the package registry %s", m)
		}
		return ""
	})
	out = append(out, t.grep(isCode, []string{"://"}, func(line string) string {
		if isComment(line) {
			return ""
		}
		for _, at := range address.FindAllStringIndex(line, -1) {
			if strings.Contains(line[:at[0]], "// ") {
				break // a link in a comment after the code
			}
			if host := foreign(line[at[0]:at[1]]); host != "" {
				return fmt.Sprintf("names the host %s: only this machine may be named", host)
			}
		}
		return ""
	})...)
	return except(t, sorted(out), quoted)
}

// foreign returns the host of an address unless it is this machine, reserved, or incomplete.
func foreign(addr string) string {
	u, err := url.Parse(strings.TrimRight(addr, `.,;:\`))
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case host == "localhost", strings.HasPrefix(host, "127."), host == "::1":
		return ""
	case !strings.Contains(host, ".") || strings.Contains(host, "%"):
		return "" // no name of the public network, or one that is filled in
	}
	// RFC 2606 and RFC 6761.
	for _, reserved := range []string{"example", "example.com", "example.org", "example.net", "test", "invalid", "localhost"} {
		if host == reserved || strings.HasSuffix(host, "."+reserved) {
			return ""
		}
	}
	return host
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, prefix := range []string{"//", "--", "#", "*", "/*"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

// grep asks about the lines that have one of some words, in any case, of the files that want holds
// for; an answer is a finding. Searching for words first takes a thirtieth of the time of matching
// expressions.
func (t *Tree) grep(want func(path string) bool, words []string, ask func(line string) string) []Finding {
	has := func(text []byte) bool {
		text = bytes.ToLower(text)
		return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(text, []byte(strings.ToLower(word))) })
	}
	var out []Finding
	for _, f := range t.Files {
		if !want(f.Path) || !has(f.Text) {
			continue
		}
		n := 0
		for line := range bytes.Lines(f.Text) {
			n++
			if !has(line) {
				continue
			}
			if text := ask(string(line)); text != "" {
				out = append(out, Finding{f.Path, n, text})
			}
		}
	}
	return sorted(out)
}
