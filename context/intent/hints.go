package intent

import (
	"strings"
	"sync"
)

// phrase is one or more adjacent words in lower case with their weight; a final '*' stands for any
// ending of the last word.
type phrase struct {
	text   string
	weight float64
}

// recencyPhrases indicate how recent the subject is: 1 = today.
var recencyPhrases = []phrase{
	{"today", 1}, {"just now", 1}, {"right now", 1}, {"currently", 1}, {"this morning", 1}, {"tonight", 1},
	{"yesterday", 0.8}, {"recently", 0.8}, {"recent", 0.8}, {"this week", 0.8}, {"lately", 0.8}, {"last night", 0.8},
	{"last week", 0.5}, {"few days ago", 0.5}, {"couple of days ago", 0.5}, {"couple days ago", 0.5}, {"the other day", 0.5},
	{"last month", 0.3}, {"a while ago", 0.3}, {"a while back", 0.3}, {"weeks ago", 0.3},
}

// hintPhrases indicate which type of memory is meant. Each phrase found counts once.
var hintPhrases = map[string][]phrase{
	"decision": {
		{"decid*", .5}, {"decision*", .5}, {"chose", .5}, {"chosen", .5}, {"choice", .5}, {"choose", .5}, {"should we", .5},
		{"recommend*", .5}, {"agreed", .5}, {"agree on", .5}, {"settled on", .5}, {"trade off*", .5}, {"tradeoff*", .5}, {"why did we", .5},
		{"why do we", .5}, {"rationale", .5},
	},
	"fact": {
		{"what is", .5}, {"what's", .5}, {"what are", .5}, {"tell me about", .5}, {"fact", .5}, {"facts", .5}, {"know about", .5},
		{"definition", .5}, {"which version", .5}, {"who is", .5}, {"where is", .5},
	},
	"procedure": {
		{"how do", .5}, {"how to", .5}, {"how can", .5}, {"how should", .5}, {"the steps", .5}, {"what steps", .5}, {"which steps", .5}, {"step by step", .5}, {"process for", .5},
		{"process to", .5}, {"workflow", .5}, {"guide", .5}, {"instructions", .5}, {"walk me through", .5}, {"procedure", .5},
	},
	"episode": {
		{"last time", .5}, {"when did", .5}, {"history", .5}, {"story", .5}, {"what happened", .5}, {"did we", .5}, {"have we", .5},
		{"we discussed", .5}, {"we talked", .5}, {"you said", .5}, {"i said", .5}, {"remember when", .5}, {"do you remember", .5},
		{"earlier", .5}, {"previously", .5}, {"the other day", .5},
	},
}

// testPhrases and docPhrases, in a line that states the request, mean that it is about tests or
// documentation themselves.
var testPhrases = []phrase{
	{"test", 1}, {"tests", 1}, {"testing", 1}, {"testcase*", 1}, {"unittest", 1}, {"unittests", 1}, {"specs", 1}, {"spec file*", 1},
	{"benchmark*", 1}, {"fixture*", 1}, {"mock", 1}, {"mocks", 1}, {"mocking", 1}, {"e2e", 1}, {"coverage", 1}, {"testdata", 1}, {"testsuite*", 1},
	{"teste", 1}, {"testes", 1}, {"testen", 1}, {"prueba", 1}, {"pruebas", 1}, {"testy", 1}, {"testów", 1}, {"testler*", 1},
	{"тест*", 1}, {"テスト*", 1}, {"测试*", 1}, {"測試*", 1}, {"테스트*", 1},
}

var docPhrases = []phrase{
	{"doc", 1}, {"docs", 1}, {"documentation", 1}, {"document", 1}, {"documents", 1}, {"documented", 1}, {"readme", 1},
	{"changelog", 1}, {"release notes", 1}, {"typo", 1}, {"typos", 1}, {"docstring*", 1}, {"jsdoc", 1}, {"javadoc*", 1}, {"godoc", 1},
	{"rustdoc", 1}, {"spelling", 1}, {"wording", 1}, {"tutorial*", 1}, {"man page*", 1}, {"code comment*", 1}, {"doc comment*", 1},
	{"dokumentation*", 1}, {"doku", 1}, {"documentación", 1}, {"documentação", 1}, {"documentazione", 1}, {"documentatie", 1}, {"dokumentacj*", 1},
	{"документац*", 1}, {"ドキュメント*", 1}, {"文档*", 1}, {"文件说明*", 1}, {"문서*", 1},
}

// matches is the sum of a prompt's phrases.
type matches struct {
	recency    float64
	hints      map[string]float64
	frames     map[Frame]float64
	aboutTests bool
	aboutDocs  bool
	messages   []string // of messagePhrases
}

// rule is a phrase prepared for matching: the phrase, and what to do when it matches.
type rule struct {
	words  []string
	prefix bool // the last word is only a prefix
	ask    bool // counts only in a line that states the request
	apply  func(*matches)
}

// ruleKey is the length of the prefix of their first word by which rules are looked up.
const ruleKey = 3

var rules = sync.OnceValue(compileRules)

func compileRules() map[string][]rule {
	compiled := map[string][]rule{}
	add := func(p phrase, ask bool, apply func(*matches)) {
		text, prefix := strings.CutSuffix(p.text, "*")
		r := rule{words: strings.Fields(text), prefix: prefix, ask: ask, apply: apply}
		key := r.words[0][:min(ruleKey, len(r.words[0]))]
		compiled[key] = append(compiled[key], r)
	}
	for _, p := range recencyPhrases {
		add(p, false, func(m *matches) { m.recency = max(m.recency, p.weight) })
	}
	for kind, list := range hintPhrases {
		for _, p := range list {
			add(p, false, func(m *matches) { m.hints[kind] = min(m.hints[kind]+p.weight, maxHint) })
		}
	}
	for frame, list := range framePhrases {
		for _, p := range list {
			add(p, false, func(m *matches) { m.frames[frame] += p.weight })
		}
	}
	for _, p := range messagePhrases {
		add(phrase{text: p}, false, func(m *matches) { m.messages = append(m.messages, p) })
	}
	for _, p := range testPhrases {
		add(p, true, func(m *matches) { m.aboutTests = true })
	}
	for _, p := range docPhrases {
		add(p, true, func(m *matches) { m.aboutDocs = true })
	}
	return compiled
}

// matchPhrases applies each rule that the prose contains, once.
func matchPhrases(d *document) matches {
	m := matches{hints: map[string]float64{}, frames: map[Frame]float64{}}
	var applied map[*rule]bool
	for i, w := range d.words {
		list := rules()[w.text[:min(ruleKey, len(w.text))]]
		for k := range list {
			r := &list[k]
			if !r.at(d.words[i:]) || r.ask && !d.lines[w.line].ask || applied[r] {
				continue
			}
			if applied == nil {
				applied = map[*rule]bool{}
			}
			applied[r] = true
			r.apply(&m)
		}
	}
	return m
}

// at reports whether the words begin with the rule's.
func (r *rule) at(words []word) bool {
	if len(words) < len(r.words) {
		return false
	}
	last := len(r.words) - 1
	for i, want := range r.words {
		if got := words[i].text; got != want && (i < last || !r.prefix || !strings.HasPrefix(got, want)) {
			return false
		}
	}
	return true
}
