package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// embedReport describes the embedding model in use.
type embedReport struct {
	Name       string `json:"name"`
	Weights    string `json:"weights"`
	Dimensions int    `json:"dimensions"`
	// Context is the maximum length of a text that is embedded at once, in tokens; Trained is the
	// maximum by the model's description.
	Context int `json:"context"`
	Trained int `json:"trained,omitempty"`
	// Query and Document are the prefixes of queries and documents.
	Query    string `json:"query"`
	Document string `json:"document"`
	// Identity changes if the vectors change; see contexture.index.status.
	Identity string `json:"identity"`
	// LowerCased reports the defect ollama#13942.
	LowerCased bool    `json:"lowerCased"`
	PerSecond  float64 `json:"textsPerSecond,omitempty"`
	QueryMs    float64 `json:"queryMs,omitempty"`
}

// chatReport describes the chat model in use.
type chatReport struct {
	Name     string  `json:"name"`
	Weights  string  `json:"weights"`
	Context  int     `json:"context,omitempty"`
	AnswerMs float64 `json:"answerMs,omitempty"`
}

// trials is how many texts are embedded to measure the speed.
const trials = 8

// checkEmbed chooses the embedding model and tries it.
func (d *modelDoctor) checkEmbed(ctx context.Context, models []ollama.Model) {
	const check = "embedding model"
	m, err := ollama.ChooseEmbed(models, d.set.EmbedModel)
	if err != nil {
		d.unchosen(check, err, "ollama.embedModel", "the built-in embedder is used")
		return
	}
	overrides := make(map[string]ollama.Prefix, len(d.set.Prefixes))
	for name, p := range d.set.Prefixes {
		overrides[name] = ollama.Prefix{Query: p.Query, Document: p.Document}
	}
	e, err := ollama.Open(ctx, d.client, m, overrides)
	if err != nil {
		d.add(check, warning, fmt.Sprintf("%s cannot be used: %s; the built-in embedder is used", m.Name, plain(err)), mend(err, m.Name))
		return
	}
	r := &embedReport{
		Name: m.Name, Weights: m.Weights, Dimensions: e.Dimensions(), Context: e.Window(), Trained: m.Context,
		Query: e.Prefixes().Query, Document: e.Prefixes().Document,
		Identity: fmt.Sprintf("%016x", xxh3.HashString(e.Identity())), LowerCased: e.LowerCased(),
	}
	d.report.Embed = r
	trained := ""
	if r.Trained > r.Context {
		trained = fmt.Sprintf(" of %s", count(r.Trained))
	}
	d.add(check, fine, fmt.Sprintf("%s%s: %s dimensions, context of %s%s tokens, weights %s, identity %s",
		m.Name, chosenBy(d.set.EmbedModel), count(r.Dimensions), count(r.Context), trained, short(m.Weights), r.Identity), "")
	d.add(check, fine, prefixText(r.Query, r.Document), "")
	if r.LowerCased {
		d.add(check, warning, "this version of the server spoils words with capitals for this model (ollama#13942); texts are sent in lower case",
			"install a newer Ollama (0.30 or later); the index is then embedded again")
	}
	d.checkEmbedSpeed(ctx, e, r)
}

// checkEmbedSpeed measures the time of a query and of a few documents. The model is loaded by then.
func (d *modelDoctor) checkEmbedSpeed(ctx context.Context, e *ollama.Embedder, r *embedReport) {
	const check = "embedding speed"
	begin := time.Now()
	_, err := e.Query(ctx, "where is the configuration read")
	query := time.Since(begin)
	texts := make([]ollama.Text, trials)
	for i := range texts {
		texts[i].Body = fmt.Sprintf("// read%d opens the file by its name and returns what stands in it, line by line.\nfunc read%d(name string) ([]string, error) {\n"+
			"\ttext, err := open(name)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn split(text), nil\n}\n", i, i)
	}
	begin = time.Now()
	if err == nil {
		var faults []error
		_, faults = e.Documents(ctx, texts)
		err = errors.Join(faults...)
	}
	took := time.Since(begin)
	if err != nil {
		d.add(check, warning, "not measured: "+plain(err), mend(err, r.Name))
		return
	}
	r.PerSecond, r.QueryMs = rounded(trials/max(took.Seconds(), 1e-6)), rounded(1000*query.Seconds())
	d.add(check, fine, fmt.Sprintf("%.0f texts a second, a query in %s", r.PerSecond, durationText(query)), "")
}

// quickChat is the largest number of weights with which a chat model is tried: a larger one may
// take longer to load than the doctor has.
const quickChat = 4_500_000_000

// checkChat chooses the chat model and has it answer once, if that is cheap.
func (d *modelDoctor) checkChat(ctx context.Context, models []ollama.Model) {
	const check = "chat model"
	m, err := ollama.ChooseChat(models, d.set.ChatModel)
	if err != nil {
		d.unchosen(check, err, "ollama.chatModel", "rules filter, judge and sum up")
		return
	}
	r := &chatReport{Name: m.Name, Weights: m.Weights, Context: m.Context}
	d.report.Chat = r
	detail := m.Name + chosenBy(d.set.ChatModel)
	if m.Context > 0 {
		detail += fmt.Sprintf(": trained on %s tokens", count(m.Context))
	}
	detail += ", weights " + short(m.Weights)
	if m.Parameters > quickChat {
		d.add(check, fine, fmt.Sprintf("%s; not tried, since it is large (%.1f billion weights)", detail, float64(m.Parameters)/1e9), "")
		return
	}
	begin := time.Now()
	_, err = d.client.Chat(ctx, m, ollama.Request{Prompt: "Answer with one word: ready", MaxTokens: 32})
	took := time.Since(begin)
	if err != nil && ollama.KindOf(err) != ollama.BadAnswer { // a model that answers at too great length works
		d.add(check, warning, fmt.Sprintf("%s; it did not answer: %s", detail, plain(err)), mend(err, m.Name))
		return
	}
	r.AnswerMs = rounded(1000 * took.Seconds())
	d.add(check, fine, fmt.Sprintf("%s, answers in %s", detail, durationText(took)), "")
}

// unchosen reports why no model was chosen for a purpose. A missing model is a warning only if one
// was configured.
func (d *modelDoctor) unchosen(check string, err error, setting, instead string) {
	var e *ollama.Error
	if !errors.As(err, &e) {
		d.add(check, warning, err.Error(), "")
		return
	}
	pull, install := e.Detail, ""
	if before, after, ok := strings.Cut(e.Detail, "run: "); ok {
		pull, install = strings.TrimRight(before, "; "), after
	}
	if e.Model == "" { // none of the installed models is suitable
		d.add(check, d.lacking(), pull+"; "+instead, "to have one: "+install)
		return
	}
	if e.Kind == ollama.ModelMissing {
		d.add(check, warning, fmt.Sprintf("%s, named by %s, is not installed; %s", e.Model, setting, instead), install)
		return
	}
	d.add(check, warning, fmt.Sprintf("%s, named by %s: %s; %s", e.Model, setting, plain(err), instead), "name another model with "+setting+", or none to have one chosen")
}

// mend returns what to do about a model that does not work.
func mend(err error, model string) string {
	switch ollama.KindOf(err) {
	case ollama.Timeout, ollama.Overloaded:
		return "it may still be loading, or the machine is busy: run contexture doctor again"
	case ollama.Unreachable:
		return "check whether the server still runs"
	case ollama.ModelMissing:
		return "ollama pull " + model
	}
	return "see the server's log, or install the model again: ollama pull " + model
}

// chosenBy returns the origin of the choice of a model.
func chosenBy(named string) string {
	if named == "" {
		return " (chosen automatically)"
	}
	return " (named in the settings)"
}

func prefixText(query, document string) string {
	if query == "" && document == "" {
		return "no prefixes"
	}
	return fmt.Sprintf("prefixes: %q before queries, %q before documents", query, document)
}

// short returns a prefix of a digest that is long enough to be unique.
func short(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256-")
	return digest[:min(len(digest), 12)]
}

// rounded rounds x to at most three decimals, which is more than the precision of the measurement.
func rounded(x float64) float64 { return math.Round(1000*x) / 1000 }
