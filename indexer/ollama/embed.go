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

// Sizes of embedding requests. The server embeds the texts of a request sequentially, so large
// requests are no faster and delay queries.
const (
	batchTexts  = 16
	batchBytes  = 16 << 10
	politeTexts = 1 // while queries are expected: a text in progress cannot be cancelled

	// widestWindow is the longest context that is requested, in tokens: the server reserves memory
	// for all of it, and texts are cut to a quarter of it anyway.
	widestWindow = 2048
	// narrowWindow is used if the model does not state its context.
	narrowWindow = 512
	// reserved is the number of tokens for the marks that tokenizers add around a text.
	reserved = 8
)

// Embedder converts texts into vectors with one model. It is safe for concurrent use. Documents and
// Query of all embedders of a Client share one queue, in which queries have priority.
type Embedder struct {
	client *Client
	model  Model
	prefix Prefix
	window int // num_ctx: the same in every request, since a different one would reload the model
	dims   int
	lower  bool // the server garbles words with capitals, see spoilsCapitals
	probes [][]float32

	mu    sync.Mutex // guards batch
	batch int        // maximum number of texts in a background request, see fair
}

// Open returns an Embedder of model after testing it: its dimensions, whether the server handles
// capitals, and the vectors of the probe texts. It makes at most three calls, each of which may
// have to wait until the model is loaded. overrides take precedence over the families' prefixes,
// see PrefixOf.
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

// windowOf returns the context to request: the one that the model handles well, within bounds.
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

// Model returns the model as it was when the Embedder was opened.
func (e *Embedder) Model() Model { return e.model }

// Dimensions returns the length of every vector.
func (e *Embedder) Dimensions() int { return e.dims }

// Window returns the context in tokens to which texts are split.
func (e *Embedder) Window() int { return e.window }

// LowerCased reports whether texts are sent in lower case because the server has the defect
// ollama#13942.
func (e *Embedder) LowerCased() bool { return e.lower }

// Prefixes returns the prefixes in use.
func (e *Embedder) Prefixes() Prefix { return e.prefix }

// Identity returns a name of everything that vectors depend on and that is known without embedding:
// the weights, dimensions, prefix scheme and truncation rule. Vectors with different identities
// must never be compared; those with the same identity may be if Same also reports true.
func (e *Embedder) Identity() string {
	return fmt.Sprintf("%s dims=%d query=%q document=%q window=%d rule=split-mean-1", e.model.Weights, e.dims, e.prefix.Query, e.prefix.Document, e.window)
}

// Query embeds one text in the foreground, before all indexing. Only the beginning of a text longer
// than the model's context counts.
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

// spelled returns text in the form in which it is sent.
func (e *Embedder) spelled(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if e.lower {
		return strings.ToLower(text)
	}
	return text
}

// fits returns a BadAnswer if the vectors do not fit the model that was opened.
func (e *Embedder) fits(vectors [][]float32) error {
	if e.dims != 0 && len(vectors[0]) != e.dims {
		return &Error{Kind: BadAnswer, Op: "embed", Model: e.model.Name,
			Detail: fmt.Sprintf("vectors of %d dimensions instead of %d: another model by that name?", len(vectors[0]), e.dims)}
	}
	return nil
}

// background embeds texts once no query and no other background request is in progress. If queries
// keep coming, it is preempted at most twice; after that it completes.
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

// embed sends texts and checks the vectors. It retries once after a transient failure (the model's
// process died, the answer was cut off).
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
