package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/ollama/ollama/api"
)

// The sizes of embedding requests. The server embeds the texts of a request in sequence, so large
// requests win nothing and hold queries up.
const (
	batchTexts  = 16
	batchBytes  = 16 << 10
	politeTexts = 1 // while queries are expected: what is under way cannot be stopped within a text

	// widestWindow is the longest context that is asked for, in tokens: the server reserves memory
	// for all of it, and texts are cut to a quarter of it anyway.
	widestWindow = 2048
	// narrowWindow is taken where the model does not tell.
	narrowWindow = 512
	// reserved tokens stand for the marks that tokenizers put around a text.
	reserved = 8
)

// Embedder turns texts into vectors with one model. Safe for concurrent use. Documents and Query of
// all embedders of a Client share one queue, in which queries go first.
type Embedder struct {
	client *Client
	model  Model
	prefix Prefix
	window int // num_ctx: the same in every request, as another one would load the model anew
	dims   int
	lower  bool // the server spoils words with capitals, see spoilsCapitals
	probes [][]float32

	mu    sync.Mutex // guards batch
	batch int        // texts in a background request at most, see fair
}

// Open makes an Embedder of model after trying it: its dimensions, whether the server handles
// capitals, and the vectors of the probe texts. It makes at most three calls, each of which may
// have to wait until the model is loaded. overrides go before the families' prefixes, see PrefixOf.
func Open(ctx context.Context, c *Client, model Model, overrides map[string]Prefix) (*Embedder, error) {
	if model.Remote != "" {
		return nil, refusedModel(model, "embed")
	}
	e := &Embedder{client: c, model: model, prefix: PrefixOf(model, overrides), window: windowOf(model), batch: batchTexts}
	raw, err := e.background(ctx, capitalTexts[:])
	if err != nil {
		return nil, err
	}
	e.dims = len(raw[0])
	e.lower = spoilsCapitals(raw)
	if e.lower {
		c.log.Warn("the server spoils words with capitals for this model (ollama#13942): texts are sent in lower case", "model", model.Name)
	}
	if e.probes, err = e.probe(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

// windowOf is the context that is asked for: what the model is good for, within bounds.
func windowOf(m Model) int {
	window := widestWindow
	if f, ok := familyOf(m); ok {
		window = min(window, f.context)
	} else if m.Context == 0 {
		window = narrowWindow
	}
	if m.Context > 0 {
		window = min(window, m.Context)
	}
	return window
}

// Model is the model as it was when the Embedder was opened.
func (e *Embedder) Model() Model { return e.model }

// Dimensions is the length of every vector.
func (e *Embedder) Dimensions() int { return e.dims }

// Window is the context in tokens that texts are split to.
func (e *Embedder) Window() int { return e.window }

// LowerCased says that the server has the defect ollama#13942 and texts are sent in lower case
// because of it.
func (e *Embedder) LowerCased() bool { return e.lower }

// Prefixes are those in use.
func (e *Embedder) Prefixes() Prefix { return e.prefix }

// Identity names what vectors depend on and can be known without embedding: the weights,
// dimensions, prefix scheme and truncation rule. Vectors of two identities must never be compared.
// Those of one may be if Same says so too.
func (e *Embedder) Identity() string {
	return fmt.Sprintf("%s dims=%d query=%q document=%q window=%d rule=split-mean-1", e.model.Weights, e.dims, e.prefix.Query, e.prefix.Document, e.window)
}

// Query embeds one text that somebody waits for, before all indexing. Of a text longer than the
// model's context the beginning counts.
func (e *Embedder) Query(ctx context.Context, text string) ([]float32, error) {
	if strings.TrimSpace(text) == "" {
		return nil, &Error{Kind: Failed, Op: "embed", Model: e.model.Name, Detail: "the query is empty", Item: true}
	}
	defer e.client.gate.query(e.client.now)()
	text = e.spelled(text)
	room := max(e.window-reserved-estimate(e.prefix.Query), 16)
	text = split(text, room)[0]
	for {
		vectors, err := e.client.embed(ctx, e.model.Name, e.window, call{timeout: queryTimeout}, []string{e.prefix.Query + text})
		if err == nil {
			err = e.fits(vectors)
		}
		switch {
		case err == nil:
			return vectors[0], nil
		case KindOf(err) == TooLong:
			shorter, _, ok := halve(text)
			if !ok {
				return nil, err
			}
			text = shorter
		default:
			return nil, err
		}
	}
}

// spelled is text as it is sent.
func (e *Embedder) spelled(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if e.lower {
		return strings.ToLower(text)
	}
	return text
}

// fits is a BadAnswer when the vectors are not of the model that was opened.
func (e *Embedder) fits(vectors [][]float32) error {
	if e.dims != 0 && len(vectors[0]) != e.dims {
		return &Error{Kind: BadAnswer, Op: "embed", Model: e.model.Name,
			Detail: fmt.Sprintf("vectors of %d dimensions instead of %d: another model by that name?", len(vectors[0]), e.dims)}
	}
	return nil
}

// background embeds texts for which nobody waits, as soon as no query is under way and no other
// background request is. When queries keep coming it makes way twice at most, then it stays.
func (e *Embedder) background(ctx context.Context, texts []string) ([][]float32, error) {
	for try := 0; ; try++ {
		inner, done, err := e.client.gate.index(ctx, e.client.now, try >= 2)
		if err != nil {
			return nil, fmt.Errorf("ollama embed: %w", err)
		}
		vectors, err := e.client.embed(inner, e.model.Name, e.window, call{timeout: documentTimeout, patient: true}, texts)
		done()
		if errors.Is(err, errPreempted) {
			continue
		}
		if err == nil {
			err = e.fits(vectors)
		}
		return vectors, err
	}
}

// embed sends texts and checks the vectors. An answer that is broken by chance (its model's process
// died, it was cut off) is asked for once more.
func (c *Client) embed(ctx context.Context, model string, window int, k call, texts []string) ([][]float32, error) {
	k.op, k.method, k.path, k.model, k.window = "embed", http.MethodPost, "api/embed", model, window
	k.limit = maxRestBytes + int64(len(texts))*maxVectorBytes
	truncate := false
	req := api.EmbedRequest{Model: model, Input: texts, Truncate: &truncate, KeepAlive: kept(), Options: map[string]any{"num_ctx": window}}
	for try := 0; ; try++ {
		var out struct {
			Embeddings []vector `json:"embeddings"`
		}
		err := c.do(ctx, k, req, &out)
		if err == nil {
			bad := check(out.Embeddings, len(texts), 0)
			if bad == nil {
				vectors := make([][]float32, len(texts))
				for i, v := range out.Embeddings {
					vectors[i] = v
				}
				return vectors, nil
			}
			err = &Error{Kind: BadAnswer, Op: k.op, Model: model, Detail: bad.Error()}
		}
		var e *Error
		if try == 0 && errors.As(err, &e) && e.again {
			continue
		}
		return nil, err
	}
}
