package ollama

import (
	"context"
	"fmt"
)

// same is the cosine from which two vectors of one text count as from one model: other hardware and
// other versions of the server differ by less, another model, quantisation or tokenizer by more.
const same = 0.99

// probeTexts are embedded to recognize a model: lower case, upper case, camelCase, punctuation,
// prose, another script. Changing one causes everything to be embedded again.
var probeTexts = [...]string{
	"read the configuration file and return its values",
	"MAXIMUM RETRY COUNT EXCEEDED",
	"parseHttpRequestHeader userSessionToken",
	"if err := f(x[i], &y); err != nil { return -1 } // 0x1F",
	"The cache is emptied when the connection closes.",
	"größere Übertragung später",
}

// capitalTexts show whether a server handles capitals: two texts in capitals with equal numbers of
// words, and the same in lower case.
var capitalTexts = [...]string{"GREEN RIVER FISH", "BANK ACCOUNT NUMBER", "green river fish", "bank account number"}

// spoilsCapitals reports whether the vectors of capitalTexts show the defect ollama#13942: every
// word with capitals becomes [UNK], so that two texts in capitals with equal numbers of words have
// the same vector although their lower-case forms do not.
func spoilsCapitals(vectors [][]float32) bool {
	upper, lower := cosine(vectors[0], vectors[1]), cosine(vectors[2], vectors[3])
	return upper > 0.999 && lower < 0.99
}

// probe embeds the probe texts in the same way as documents.
func (e *Embedder) probe(ctx context.Context) ([][]float32, error) {
	texts := make([]string, len(probeTexts))
	for i, t := range probeTexts {
		texts[i] = e.head(Text{}) + e.spelled(t)
	}
	return e.background(ctx, texts)
}

// Probes returns the vectors of the probe texts when the Embedder was opened, to be stored with the
// vectors that it makes. They belong to the Embedder and must not be changed.
func (e *Embedder) Probes() [][]float32 { return e.probes }

// Same reports whether vectors made when the probes' vectors were old can be compared with those of
// this Embedder.
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

// Changed reports whether the model of that name has been replaced since the Embedder was opened,
// or embeds differently: then it has to be opened again. It makes two calls. Callers check from
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
