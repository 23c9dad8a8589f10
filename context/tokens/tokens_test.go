package tokens_test

import (
	"testing"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

func init() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) }

func TestSmoke(t *testing.T) {
	for _, e := range []tokens.Encoding{tokens.O200k, tokens.CL100k} {
		c, err := tokens.For(e)
		if err != nil {
			t.Fatal(err)
		}
		tk, err := tiktoken.GetEncoding(string(e))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"", "a", "hello world", "func main() {\n\t\tfmt.Println(\"hi\")\n}\n", "don't IT'S   x"} {
			if got, want := c.Count(s), len(tk.EncodeOrdinary(s)); got != want {
				t.Errorf("%s %q: %d, want %d", e, s, got, want)
			}
		}
	}
}
