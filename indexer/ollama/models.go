package ollama

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
)

// Model is an installed model as the server describes it.
type Model struct {
	Name       string // with its tag
	Digest     string // of the manifest; changes with parameters and templates too
	Weights    string // digests of weights and adapters, "sha256-…" joined by "+"; the manifest's if unknown
	Family     string // the architecture: "nomic-bert", "qwen3"
	Base       string // the name in the weights; empty if there is none
	Parameters int64  // number of weights; 0 if unknown
	Context    int    // trained context length in tokens; 0 if unknown
	Dimensions int    // of its vectors by its description; a probe decides
	Embeds     bool   // makes vectors
	Chats      bool   // answers prompts
	Thinks     bool   // would generate reasoning first
	Remote     string // where it runs, if not on the server: nothing is sent to such a model
}

// Models returns the installed models, by name. A model whose digest is known is not described
// again. A model without a description is left out and logged, unless the server itself is
// unavailable.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var tags api.ListResponse
	if err := c.do(ctx, metaCall("tags", http.MethodGet, "api/tags"), nil, &tags); err != nil {
		return nil, err
	}
	known := make(map[string]Model, len(tags.Models))
	var models []Model
	for _, t := range tags.Models {
		name := t.Name
		if name == "" {
			name = t.Model
		}
		if name == "" {
			continue
		}
		key := name + " " + t.Digest
		c.mu.Lock()
		m, ok := c.shown[key]
		c.mu.Unlock()
		if !ok {
			var err error
			if m, err = c.show(ctx, name, t); err != nil {
				switch KindOf(err) {
				case Unreachable, Timeout, Overloaded:
					return nil, err
				}
				if errors.Is(err, context.Canceled) {
					return nil, err
				}
				c.log.Warn("a model cannot be described and is not used", "model", name, "err", err)
				continue
			}
		}
		known[key] = m
		models = append(models, m)
	}
	c.mu.Lock()
	c.shown = known
	c.mu.Unlock()
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

// show returns the description of one model of the list. A model that runs elsewhere is not queried
// further.
func (c *Client) show(ctx context.Context, name string, t api.ListModelResponse) (Model, error) {
	if remote := elsewhere(name, t.RemoteHost, t.RemoteModel); remote != "" {
		return Model{Name: name, Digest: t.Digest, Weights: t.Digest, Remote: remote}, nil
	}
	k := metaCall("show", http.MethodPost, "api/show")
	k.model = name
	var s api.ShowResponse
	if err := c.do(ctx, k, api.ShowRequest{Model: name}, &s); err != nil {
		return Model{}, err
	}
	return describe(name, t, s), nil
}

// describe combines the list's and the description's data about a model.
func describe(name string, t api.ListModelResponse, s api.ShowResponse) Model {
	m := Model{
		Name: name, Digest: t.Digest, Weights: weights(s.Modelfile), Remote: elsewhere(name, s.RemoteHost, s.RemoteModel),
		Family: text(s.ModelInfo["general.architecture"]), Base: text(s.ModelInfo["general.basename"]),
		Parameters: number(s.ModelInfo["general.parameter_count"]),
	}
	if m.Weights == "" {
		m.Weights = t.Digest
	}
	if m.Base == "" {
		m.Base = text(s.ModelInfo["general.name"])
	}
	if m.Parameters == 0 {
		m.Parameters = parameters(s.Details.ParameterSize)
	}
	m.Context = int(number(s.ModelInfo[m.Family+".context_length"]))
	m.Dimensions = int(number(s.ModelInfo[m.Family+".embedding_length"]))
	if m.Family == "" {
		m.Family = s.Details.Family
	}
	for _, can := range s.Capabilities {
		switch can {
		case "embedding":
			m.Embeds = true
		case "completion":
			m.Chats = true
		case "thinking":
			m.Thinks = true
		}
	}
	if len(s.Capabilities) == 0 { // servers before 0.6.4 do not report them
		_, pools := s.ModelInfo[m.Family+".pooling_type"]
		_, known := familyOf(m)
		m.Embeds = pools || known || strings.Contains(m.Family, "bert")
		m.Chats = !m.Embeds
	}
	return m
}

// elsewhere returns where a model runs if not on the server, or "".
func elsewhere(name, host, model string) string {
	_, tag, _ := strings.Cut(name, ":")
	switch {
	case host != "":
		return clip(host, 200)
	case model != "", tag == "cloud", strings.HasSuffix(tag, "-cloud"):
		return "another machine"
	}
	return ""
}

// blobLine matches the files that a modelfile is built from.
var blobLine = regexp.MustCompile(`(?m)^(?:FROM|ADAPTER)\s.*(sha256[-:][0-9a-f]{64})\s*$`)

// weights returns the digests of the weights and adapters named in a modelfile.
func weights(modelfile string) string {
	var all []string
	for _, m := range blobLine.FindAllStringSubmatch(modelfile, -1) {
		all = append(all, strings.Replace(m[1], ":", "-", 1))
	}
	return strings.Join(all, "+")
}

// parameters parses a size in the server's notation: "137M", "7.6B".
func parameters(size string) int64 {
	unit := 1.0
	switch {
	case strings.HasSuffix(size, "K"):
		unit = 1e3
	case strings.HasSuffix(size, "M"):
		unit = 1e6
	case strings.HasSuffix(size, "B"):
		unit = 1e9
	case strings.HasSuffix(size, "T"):
		unit = 1e12
	}
	n, err := strconv.ParseFloat(strings.TrimRight(size, "KMBT"), 64)
	if err != nil || n < 0 || n*unit > 1e15 {
		return 0
	}
	return int64(n * unit)
}

func text(v any) string { s, _ := v.(string); return s }

// number returns a count from decoded JSON, or 0 if v is not one.
func number(v any) int64 {
	f, ok := v.(float64)
	if !ok || f < 0 || f > 1e15 {
		return 0
	}
	return int64(f)
}
