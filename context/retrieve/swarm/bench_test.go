package swarm

import (
	"context"
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// BenchmarkFilter measures the cost of the filter besides the model: with a full table of pieces,
// with a model whose circuit breaker is open, and with one whose answers are cached.
func BenchmarkFilter(b *testing.B) {
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		b.Fatal(err)
	}
	items := things(Most)
	for i := range items {
		for range 30 {
			items[i].Body += "\n\tif err := check(order); err != nil {\n\t\treturn err\n\t}"
		}
	}
	down := func(context.Context, asked) (string, error) { return "", &ollama.Error{Kind: ollama.Unreachable} }
	for name, answer := range map[string]func(context.Context, asked) (string, error){
		"down": down, "remembered": keeping(func(piece) bool { return true }),
	} {
		b.Run(name, func(b *testing.B) {
			s := New(&scripted{identity: "m", answer: answer}, Options{Counter: counter})
			for b.Loop() {
				s.Filter(b.Context(), "where is an order checked?", items)
			}
		})
	}
}
