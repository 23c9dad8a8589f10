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

// libraryVersion is the release of gitleaks from which gitleaks.toml comes, unchanged; a test
// compares the two.
const libraryVersion = "8.30.1"

//go:embed gitleaks.toml
var libraryText string

// library holds gitleaks' rules in the order of their file. Parsing them takes some milliseconds,
// so it is deferred until the first scanner is made; each expression is compiled when a text first
// needs it.
var library = sync.OnceValue(func() *ruleset {
	set, err := parseLibrary(libraryText)
	if err != nil {
		panic("secrets: the built-in rules: " + err.Error()) // a test reads the same bytes
	}
	return set
})

// ruleset holds rules and what applies to all of them.
type ruleset struct {
	rules []*rule
	allow []*allowance
}

// rule is one of gitleaks' rules.
type rule struct {
	id       string
	source   string
	entropy  float64 // bits per character that the secret must exceed; 0 for no minimum
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

// shape determines how much text around a keyword a rule's expression must see, and what this text
// must contain for the expression to be run.
type shape int

const (
	// assigned rules require a name that contains the keyword, an operator and a value.
	assigned shape = iota
	// valued rules also require an assignment, and have the keyword in the value.
	valued
	// tokened rules have the keyword within the secret itself.
	tokened
	// spread rules match anything near the keyword, across several lines.
	spread
)

// assignment is the part that the expressions of all assigned rules have in common.
const assignment = `(?:=|>|:{1,3}=|`

// replaced are gitleaks' rules for which this package has its own matcher: the rule for private
// keys matches the code between two mentions of a key's header, and the one for web tokens runs at
// every word that contains "ey".
var replaced = []string{privateKey, webTokenRule}

// barred are keywords under which a rule takes anything of a certain length for a secret.
var barred = map[string]string{
	"sourcegraph": "sourcegraph-access-token", // 40 hexadecimal digits, as every commit has
}

// tomlConfig is the part of gitleaks' configuration that applies to texts without a path.
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

// parseLibrary parses gitleaks' configuration. Rules about certain paths are left out: a text has
// no path here, and this package's own rules find the same secrets by their surroundings.
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

// size is the range of lengths that an expression can match, in bytes; most is unbounded if there
// is no maximum.
type size struct{ least, most int }

// unbounded represents a length without a maximum.
const unbounded = 1 << 20

// sizes returns the lengths of a whole match and of the group that holds the secret, without
// compiling the expression.
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

// captured returns a group of an expression.
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

// measure returns the range of lengths of an expression's matches.
func measure(re *syntax.Regexp) size {
	switch re.Op {
	case syntax.OpLiteral:
		return size{len(re.Rune), 4 * len(re.Rune)} // a case-folded letter may be longer than the one in the pattern, not shorter
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
