package eval

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

var (
	serverURL = flag.String("ollama", "", "the model server that BenchmarkModel asks")
	modelName = flag.String("model", "", "its embedding model; empty takes the best one")
)

// encoder is an embedding model called the way an index calls it, without the retries and fallbacks
// for a failing server.
type encoder struct{ *ollama.Embedder }

func (e encoder) Name() string { return e.Model().Name }

func (e encoder) Documents(ctx context.Context, texts []encode.Document) ([][]float32, []error, error) {
	list := make([]ollama.Text, len(texts))
	for i, t := range texts {
		list[i] = ollama.Text(t)
	}
	rows, errs := e.Embedder.Documents(ctx, list)
	return rows, errs, nil
}

// BenchmarkModel ranks the queries with an embedding model of a running server and, for comparison,
// with the built-in embedder:
//
//	go test -run '^$' -bench Model ./context/eval -ollama http://127.0.0.1:11434
func BenchmarkModel(b *testing.B) {
	if *serverURL == "" {
		b.Fatal("name the model server: -ollama http://127.0.0.1:11434")
	}
	client, err := ollama.New(ollama.Options{URL: *serverURL})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	models, err := client.Models(ctx)
	if err != nil {
		b.Fatal(err)
	}
	model, err := ollama.ChooseEmbed(models, *modelName)
	if err != nil {
		b.Fatal(err)
	}
	embedder, err := ollama.Open(ctx, client, model, nil)
	if err != nil {
		b.Fatal(err)
	}
	queries := readQueries(b)
	for b.Loop() {
		for _, with := range []bool{false, true} {
			s := indexCorpus(b, queries)
			name := "builtin"
			if with {
				name = "model"
				s.x.SetModel(encoder{embedder})
				for !s.x.ModelStatus().Serving {
					select {
					case <-s.x.Changed():
					case <-ctx.Done():
						b.Fatal(ctx.Err(), s.x.ModelStatus().Problem)
					}
				}
				var release func()
				s.Snapshot, release = s.x.Snapshot()
				defer release()
			}
			mrr := 0.0
			for _, q := range queries {
				if at, _ := rank(s, q); at > 0 {
					mrr += 1 / float64(at)
				}
			}
			b.ReportMetric(mrr/float64(len(queries)), name+"-MRR")
		}
	}
	b.Logf("%s, %d dimensions", model.Name, embedder.Dimensions())
}
