package ollama

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Prefix is the text that a model expects before a text, by the text's purpose.
type Prefix struct {
	Query    string
	Document string // "{title}" in it is replaced by the title, or by "none"
}

// family is a known kind of embedding model.
type family struct {
	key     string // occurs in the model's name
	context int    // tokens that it embeds well; its description may claim more
	prefix  Prefix
	minor   bool // chosen only if there is no other: a short context, or an older generation
}

// families are in order of preference for code and prose on a personal computer: by quality in
// relation to time. The prefixes are those of the models' own cards.
var families = []family{
	{"embeddinggemma", 2048, Prefix{"task: code retrieval | query: ", "title: {title} | text: "}, false},
	{"qwen3-embedding", 32768, Prefix{
		"Instruct: Given a search query, retrieve relevant code and documentation that answer the query\nQuery:", ""}, false},
	{"nomic-embed-text-v2", 512, Prefix{"search_query: ", "search_document: "}, true},
	{"nomic-embed-text", 2048, Prefix{"search_query: ", "search_document: "}, false},
	{"snowflake-arctic-embed2", 8192, Prefix{"query: ", ""}, false},
	{"bge-m3", 8192, Prefix{}, false},
	{"granite-embedding", 512, Prefix{}, true},
	{"mxbai-embed-large", 512, Prefix{"Represent this sentence for searching relevant passages: ", ""}, true},
	{"snowflake-arctic-embed", 512, Prefix{"Represent this sentence for searching relevant passages: ", ""}, true},
	{"bge-large", 512, Prefix{"Represent this sentence for searching relevant passages: ", ""}, true},
	{"paraphrase-multilingual", 512, Prefix{}, true},
	{"all-minilm", 256, Prefix{}, true},
}

// familyOf returns a model's family by its name, else by the name in its weights. The longest
// matching key wins: snowflake-arctic-embed2 is not snowflake-arctic-embed.
func familyOf(m Model) (family, bool) {
	for _, name := range []string{m.Name, m.Base} {
		name = strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", "-"), " ", "-")
		name = strings.ReplaceAll(name, "arctic-embed-l-v2", "arctic-embed2")
		best := family{}
		for _, f := range families {
			if len(f.key) > len(best.key) && strings.Contains(name, f.key) {
				best = f
			}
		}
		if best.key != "" {
			return best, true
		}
	}
	return family{}, false
}

// PrefixOf returns the prefix of texts for model: that of overrides for its name, with or without
// its tag, else its family's, else none.
func PrefixOf(m Model, overrides map[string]Prefix) Prefix {
	bare, _, _ := strings.Cut(m.Name, ":")
	for _, name := range []string{m.Name, bare} {
		if p, ok := overrides[name]; ok {
			return p
		}
	}
	f, _ := familyOf(m)
	return f.prefix
}

// manyParameters is the size above which an embedding model is too slow to be chosen by default for
// a whole workspace.
const manyParameters = 1_000_000_000

// ChooseEmbed returns the embedding model to use: named, with or without its tag, or, if that is
// empty, the best one installed. The error is of kind ModelMissing or Refused and states what the
// user can do.
func ChooseEmbed(models []Model, named string) (Model, error) {
	if named != "" {
		return pick(models, named, "embed", func(m Model) bool { return m.Embeds })
	}
	var fit []Model
	for _, m := range models {
		if m.Embeds && m.Remote == "" {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 {
		return Model{}, &Error{Kind: ModelMissing, Op: "embed", Detail: "no embedding model is installed; run: ollama pull embeddinggemma"}
	}
	return slices.MinFunc(fit, func(a, b Model) int {
		return cmp.Or(cmp.Compare(embedRank(a), embedRank(b)), cmp.Compare(a.Parameters, b.Parameters), strings.Compare(a.Name, b.Name))
	}), nil
}

// embedRank returns a model's rank for embedding; less is better: known and fast, unknown, of a
// minor family, known but slow.
func embedRank(m Model) int {
	f, known := familyOf(m)
	rank := len(families)
	if known {
		rank = slices.IndexFunc(families, func(g family) bool { return g.key == f.key })
		if f.minor {
			rank += 2 * len(families)
		}
	}
	if m.Parameters > manyParameters {
		rank += 4 * len(families)
	}
	return rank
}

// Sizes of chat models: below the first they do not follow instructions well enough to judge, above
// the second they are slow without a large graphics card, above the third they are never chosen by
// default if there is a smaller one.
const (
	ableChat = 900_000_000
	nimble   = 4_500_000_000
	heavy    = 15_000_000_000
)

// ChooseChat returns the chat model to use: named, or, if that is empty, the smallest adequate one
// installed.
func ChooseChat(models []Model, named string) (Model, error) {
	if named != "" {
		return pick(models, named, "chat", func(m Model) bool { return m.Chats })
	}
	var fit []Model
	for _, m := range models {
		if m.Chats && !m.Embeds && m.Remote == "" {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 {
		return Model{}, &Error{Kind: ModelMissing, Op: "chat", Detail: "no chat model is installed; run: ollama pull qwen3:1.7b"}
	}
	return slices.MinFunc(fit, func(a, b Model) int {
		ra, rb := chatRank(a), chatRank(b)
		bySize := cmp.Compare(a.Parameters, b.Parameters)
		if ra%ranks == tooSmall {
			bySize = -bySize
		}
		return cmp.Or(cmp.Compare(ra, rb), bySize, strings.Compare(a.Name, b.Name))
	}), nil
}

// Ranks of chat models by size, best first. A special model ranks after every ordinary one.
const (
	rightSize = iota
	slowSize
	unknownSize
	tooSmall
	tooLarge
	ranks
)

// special are parts of names of chat models made for other purposes than following instructions.
var special = []string{"-base", ":base", "embed", "rerank", "guard", "ocr", "translate", "math", "starcoder", "codegemma:2b", "sqlcoder", "-vl", "vision", "llava", "moondream", "-r1", "reason", "functiongemma"}

func chatRank(m Model) int {
	rank := tooLarge
	switch p := m.Parameters; {
	case p == 0:
		rank = unknownSize
	case p < ableChat:
		rank = tooSmall
	case p <= nimble:
		rank = rightSize
	case p <= heavy:
		rank = slowSize
	}
	name := strings.ToLower(m.Name)
	if slices.ContainsFunc(special, func(part string) bool { return strings.Contains(name, part) }) {
		rank += ranks
	}
	return rank
}

// pick returns the model that the user named, if it has the required ability.
func pick(models []Model, named, op string, can func(Model) bool) (Model, error) {
	for _, want := range []string{named, named + ":latest"} {
		for _, m := range models {
			if !strings.EqualFold(m.Name, want) {
				continue
			}
			if m.Remote != "" {
				return Model{}, refusedModel(m, op)
			}
			if !can(m) {
				return Model{}, &Error{Kind: Refused, Op: op, Model: m.Name, Detail: "the model cannot do this; name another one in the settings"}
			}
			return m, nil
		}
	}
	return Model{}, &Error{Kind: ModelMissing, Op: op, Model: named, Detail: fmt.Sprintf("run: ollama pull %s", named)}
}

// refusedModel returns the error for a model that runs on another machine.
func refusedModel(m Model, op string) error {
	return &Error{Kind: Refused, Op: op, Model: m.Name, Detail: fmt.Sprintf("the model runs on %s: texts would leave the server", m.Remote)}
}
