package ollama

import (
	"context"
	"fmt"
)

// same is the cosine from which two vectors of one text count as one model's: other hardware and
// other versions of the server differ by less, another model, quantisation or tokenizer by more.
const same = 0.99

// probeTexts are embedded to know a model again: lower case, upper case, camelCase, punctuation,
// prose, another script. To change one is to embed everything anew.
var probeTexts = [...]string{
	"read the configuration file and return its values",
	"MAXIMUM RETRY COUNT EXCEEDED",
	"parseHttpRequestHeader userSessionToken",
	"if err := f(x[i], &y); err != nil { return -1 } // 0x1F",
	"The cache is emptied when the connection closes.",
	"größere Übertragung später",
}

// capitalTexts show whether a server knows capitals: two texts of the same number of words in
// capitals, and in lower case.
var capitalTexts = [...]string{"GREEN RIVER FISH", "BANK ACCOUNT NUMBER", "green river fish", "bank account number"}

// spoilsCapitals reports whether the vectors of capitalTexts show the defect ollama#13942: every
// word with capitals becomes [UNK], so that two texts in capitals with the same number of words are
// one to the model though their lower-case forms are not.
func spoilsCapitals(vectors [][]float32) bool {
	upper, lower := cosine(vectors[0], vectors[1]), cosine(vectors[2], vectors[3])
	return upper > 0.999 && lower < 0.99
}

// probe embeds the probe texts as documents are embedded.
func (e *Embedder) probe(ctx context.Context) ([][]float32, error) {
	texts := make([]string, len(probeTexts))
	for i, t := range probeTexts {
		texts[i] = e.head(Text{}) + e.spelled(t)
	}
	return e.background(ctx, texts)
}

// Probes are the vectors of the probe texts when the Embedder was opened, to be kept with the
// vectors made by it. They are the Embedder's: not to be changed.
func (e *Embedder) Probes() [][]float32 { return e.probes }

// Same reports whether vectors made where the probes were old can be compared with those that this
// Embedder makes.
func (e *Embedder) Same(old [][]float32) bool {
	if len(old) != len(e.probes) {
		return false
	}
	for i, v := range e.probes {
		if !(cosine(v, old[i]) >= same) {
			return false
		}
	}
	return true
}

// Changed reports whether the model behind the name is another one than when the Embedder was
// opened, or embeds otherwise: then it has to be opened anew. It makes two calls. To be asked from
// time to time, and after a BadAnswer.
func (e *Embedder) Changed(ctx context.Context) (bool, error) {
	models, err := e.client.Models(ctx)
	if err != nil {
		return false, err
	}
	for _, m := range models {
		if m.Name != e.model.Name {
			continue
		}
		if m.Weights != e.model.Weights {
			return true, nil
		}
		vectors, err := e.probe(ctx)
		if err != nil {
			return false, err
		}
		return !e.Same(vectors), nil
	}
	return false, &Error{Kind: ModelMissing, Op: "embed", Model: e.model.Name, Detail: fmt.Sprintf("run: ollama pull %s", e.model.Name)}
}
