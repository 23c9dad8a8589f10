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

// libraryVersion is the release of gitleaks whose rules stand in gitleaks.toml, unchanged; a test holds both together.
const libraryVersion = "8.30.1"

//go:embed gitleaks.toml
var libraryText string

// library are gitleaks' rules in the order of their file. Reading them takes some milliseconds, so it waits for the
// first scanner; no expression is compiled before a text needs it.
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
	least   int
}

// shape is how much text around a keyword a rule's expression has to see, and what must stand there for it to be worth
// running.
type shape int

const (
	// assigned rules want a name that holds the keyword, an operator and a value.
	assigned shape = iota
	// tokened rules have the keyword within the secret itself.
	tokened
	// spread rules look at anything near the keyword, over some lines.
	spread
)

// assignment is what the expressions of all assigned rules have in common.
const assignment = `(?:=|>|:{1,3}=|`

// generic is the one rule that is not about a certain service.
const generic = "generic-api-key"

// replaced are gitleaks' rules that a matcher of ours stands for, because theirs swallows the code between two
// mentions of a key's header.
var replaced = []string{privateKey}

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

// parseLibrary reads gitleaks' configuration. Rules about certain paths are left out: a text has none here, and rules
// of our own see the same secrets by what stands around them.
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
	within := func(k string) bool { return strings.Contains(plain, k) }
	switch {
	case strings.Contains(r.source, assignment) && !strings.Contains(r.source, `$)|\b(`):
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

// shortest is the length in bytes of the shortest secret that the rule finds; it does not compile the expression.
func (r *rule) shortest() int {
	r.measure.Do(func() {
		if tree, err := syntax.Parse(r.source, syntax.Perl); err == nil {
			r.least = least(tree)
		}
	})
	return r.least
}

// least is the length in bytes of the shortest text that an expression can match.
func least(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) // a folded letter may be longer than it is written, not shorter
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return least(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * least(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n += least(sub)
		}
		return n
	case syntax.OpAlternate:
		n := least(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, least(sub))
		}
		return n
	}
	return 0 // the empty ones: anchors, stars, question marks
}
