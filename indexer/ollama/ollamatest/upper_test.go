package ollamatest_test

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest"
	"github.com/contexture-dev/contexture/indexer/ollama/ollamatest/gguf"
)

// TestUpperCase checks texts in capitals, for which the models' vocabularies have no words. To bert
// they are the same as in lower case. To nomic-bert they are only in later servers: the one built
// here maps all words with a capital to the same unknown token, which clients have to detect.
func TestUpperCase(t *testing.T) {
	s := ollamatest.Start(t)
	for _, architecture := range []string{"bert", "nomic-bert"} {
		s.Embedder(t, architecture, gguf.Embedder{Architecture: architecture})
		v := mustEmbed(t, s.URL, architecture, "READ FILE", "SEND MESSAGE", "read file")
		lowered, unknown := slices.Equal(v[0], v[2]), slices.Equal(v[0], v[1])
		if lowered == unknown || architecture == "bert" && unknown {
			t.Errorf("%s: lowered %t, unknown %t", architecture, lowered, unknown)
		}
	}
}
