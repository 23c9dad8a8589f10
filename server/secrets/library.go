package secrets

import (
	_ "embed"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// libraryVersion is the release of gitleaks whose rules stand in gitleaks.toml, unchanged; a test
// holds both together.
const libraryVersion = "8.30.1"

//go:embed gitleaks.toml
var libraryText string

// library are gitleaks' rules in the order of their file. Reading them takes some milliseconds, so
// it waits for the first scanner; no expression is compiled before a text needs it.
var library = sync.OnceValue(func() *ruleset {
	set, err := parseLibrary(libraryText)
	if err != nil {
		panic("secrets: the built-in rules: " + err.Error()) // a test reads the same bytes
	}
	return set
})

// ruleset are rules and what holds for all of them.
type ruleset struct {
	rules []*rule
	allow []*allowance
}

// rule is one of gitleaks' rules.
type rule struct {
	id       string
	source   string
	entropy  float64 // bits a character that the secret must exceed; 0 asks for nothing
	group    int     // of the expression that holds the secret; 0 for the first that is not empty
	keywords []string
	shape    shape
	allow    []*allowance

	once    sync.Once
	re      *regexp.Regexp
	measure sync.Once
	whole   size
	secret  size
}

// shape is how much text around a keyword a rule's expression has to see, and what must stand there
// for it to be worth running.
type shape int

const (
	// assigned rules want a name that holds the keyword, an operator and a value.
	assigned shape = iota
	// valued rules want an assignment too, and have the keyword in the value.
	valued
	// tokened rules have the keyword within the secret itself.
	tokened
	// spread rules look at anything near the keyword, over some lines.
	spread
)

// assignment is what the expressions of all assigned rules have in common.
const assignment = `(?:=|>|:{1,3}=|`

// replaced are gitleaks' rules that a matcher of ours stands for: that for private keys swallows
// the code between two mentions of a key's header, and that for web tokens runs wherever a word has
// an "ey".
var replaced = []string{privateKey, webTokenRule}

// barred are keywords under which a rule takes anything of a certain length for a secret.
var barred = map[string]string{
	"sourcegraph": "sourcegraph-access-token", // 40 hexadecimal digits, as every commit has
}

// tomlConfig is the part of gitleaks' configuration that concerns texts without a path.
type tomlConfig struct {
	Allowlist tomlAllow
	Rules     []struct {
		ID, Regex, Path string
		Entropy         float64
		SecretGroup     int
		Keywords        []string
		Allowlists      []tomlAllow
	}
}

type tomlAllow struct {
	Condition, RegexTarget string
	Paths                  []string
	Regexes, StopWords     []string
}

// parseLibrary reads gitleaks' configuration. Rules about certain paths are left out: a text has
// none here, and rules of our own see the same secrets by what stands around them.
func parseLibrary(text string) (*ruleset, error) {
	var config tomlConfig
	if err := toml.Unmarshal([]byte(text), &config); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	set := &ruleset{allow: allowances([]tomlAllow{config.Allowlist})}
	for _, r := range config.Rules {
		if r.Regex == "" || r.Path != "" || slices.Contains(replaced, r.ID) {
			continue
		}
		out := &rule{
			id: r.ID, source: r.Regex, entropy: r.Entropy, group: r.SecretGroup, allow: allowances(r.Allowlists),
		}
		for _, k := range r.Keywords {
			if k = strings.ToLower(k); barred[k] != r.ID {
				out.keywords = append(out.keywords, k)
			}
		}
		if len(out.keywords) == 0 {
			return nil, fmt.Errorf("rule %s has no keyword", r.ID)
		}
		out.shape = shapeOf(out)
		set.rules = append(set.rules, out)
	}
	return set, nil
}

func shapeOf(r *rule) shape {
	plain := strings.ToLower(strings.ReplaceAll(r.source, `\`, ""))
	within := func(k string) bool { return strings.Contains(plain, strings.TrimRight(k, "_.-")) }
	at := strings.Index(r.source, assignment)
	switch {
	case at >= 0 && !strings.Contains(r.source, `$)|\b(`):
		name := strings.ToLower(strings.ReplaceAll(r.source[:at], `\`, ""))
		value := strings.ToLower(strings.ReplaceAll(r.source[at:], `\`, ""))
		for _, k := range r.keywords {
			if first, _, _ := strings.Cut(k, "_"); !strings.Contains(name, k) && strings.Contains(value, first) {
				return valued
			}
		}
		return assigned
	case strings.Contains(r.source, assignment), strings.HasPrefix(r.source, `\bcurl`), !slices.ContainsFunc(r.keywords, within):
		return spread
	}
	for _, k := range r.keywords {
		if !within(k) {
			return spread
		}
	}
	return tokened
}

// expression compiles the rule's expression at its first use.
func (r *rule) expression() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.source) })
	return r.re
}

// size is how long what an expression matches can be, in bytes; most is unbounded for no end.
type size struct{ least, most int }

// unbounded stands for a length without an end.
const unbounded = 1 << 20

// sizes are the lengths of a whole match and of the group that holds the secret. They do not need
// the compiled expression.
func (r *rule) sizes() (match, secret size) {
	r.measure.Do(func() {
		tree, err := syntax.Parse(r.source, syntax.Perl)
		if err != nil {
			panic("secrets: the built-in rule " + r.id + ": " + err.Error()) // a test parses them all
		}
		r.whole, r.secret = measure(tree), size{0, unbounded}
		if group := captured(tree, max(r.group, 1)); group != nil {
			r.secret = measure(group)
		}
	})
	return r.whole, r.secret
}

// captured finds a group of an expression.
func captured(re *syntax.Regexp, group int) *syntax.Regexp {
	if re.Op == syntax.OpCapture && re.Cap == group {
		return re
	}
	for _, sub := range re.Sub {
		if found := captured(sub, group); found != nil {
			return found
		}
	}
	return nil
}

// measure is how long the matches of an expression are.
func measure(re *syntax.Regexp) size {
	switch re.Op {
	case syntax.OpLiteral:
		return size{len(re.Rune), 4 * len(re.Rune)} // a folded letter may be longer than it is written, not shorter
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return size{1, 4}
	case syntax.OpCapture:
		return measure(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(re)
	case syntax.OpConcat:
		sum := size{}
		for _, sub := range re.Sub {
			one := measure(sub)
			sum.least, sum.most = sum.least+one.least, min(unbounded, sum.most+one.most)
		}
		return sum
	case syntax.OpAlternate:
		all := measure(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			one := measure(sub)
			all.least, all.most = min(all.least, one.least), max(all.most, one.most)
		}
		return all
	}
	return size{} // anchors
}

func repeated(re *syntax.Regexp) size {
	least, most := 0, -1
	switch re.Op {
	case syntax.OpPlus:
		least = 1
	case syntax.OpQuest:
		most = 1
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
	}
	one := measure(re.Sub[0])
	if most < 0 {
		return size{least * one.least, unbounded}
	}
	return size{least * one.least, min(unbounded, most*one.most)}
}
