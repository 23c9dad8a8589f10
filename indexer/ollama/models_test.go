package ollama

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

const digits = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestModels(t *testing.T) {
	shows := 0
	c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/tags" {
			fmt.Fprint(w, `{"models":[{"name":"nomic-embed-text:latest","digest":"d1"},{"name":"small:1b","digest":"d2"},
				{"name":"huge:cloud","digest":"d3"},{"name":"far:latest","digest":"d4","remote_host":"https://far.example"},{"name":"broken","digest":"d5"}]}`)
			return
		}
		shows++
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), "nomic"):
			fmt.Fprintf(w, `{"modelfile":"# made by hand\nFROM /models/blobs/sha256-%s\nTEMPLATE x","capabilities":["embedding"],"details":{"family":"nomic-bert"},
				"model_info":{"general.architecture":"nomic-bert","general.parameter_count":136727040,"nomic-bert.context_length":2048,"nomic-bert.embedding_length":768}}`, digits)
		case strings.Contains(string(body), "small"):
			fmt.Fprint(w, `{"capabilities":["completion","thinking"],"details":{"family":"qwen3","parameter_size":"1.7B"}}`)
		default:
			w.WriteHeader(500)
		}
	})
	for range 2 {
		models, err := c.Models(t.Context())
		if err != nil || len(models) != 4 {
			t.Fatal(models, err)
		}
		far, huge, nomic, small := models[0], models[1], models[2], models[3]
		if far.Remote != "https://far.example" || huge.Remote == "" {
			t.Errorf("models elsewhere: %+v %+v", far, huge)
		}
		if nomic.Weights != "sha256-"+digits || !nomic.Embeds || nomic.Chats || nomic.Context != 2048 || nomic.Dimensions != 768 || nomic.Remote != "" {
			t.Errorf("%+v", nomic)
		}
		if small.Weights != "d2" || !small.Chats || !small.Thinks || small.Parameters != 1_700_000_000 || small.Family != "qwen3" {
			t.Errorf("%+v", small)
		}
	}
	if shows != 4 { // two at first, and the broken one each time
		t.Errorf("%d descriptions asked for", shows)
	}
}

func TestChooseEmbed(t *testing.T) {
	model := func(name string) Model { return Model{Name: name, Embeds: true} }
	large := model("qwen3-embedding:8b")
	large.Parameters = 7_600_000_000
	for _, k := range []struct {
		models      []Model
		named, want string
		kind        Kind
	}{
		{nil, "", "", ModelMissing},
		{[]Model{{Name: "chat", Chats: true}}, "", "", ModelMissing},
		{[]Model{model("all-minilm:latest"), model("nomic-embed-text:latest")}, "", "nomic-embed-text:latest", 0},
		{[]Model{large, model("all-minilm:latest")}, "", "all-minilm:latest", 0},
		{[]Model{model("of-my-own"), model("all-minilm")}, "", "of-my-own", 0},
		{[]Model{{Name: "embeddinggemma:cloud", Embeds: true, Remote: "x"}, model("bge-m3")}, "", "bge-m3", 0},
		{[]Model{model("bge-m3:latest"), model("nomic-embed-text:latest")}, "bge-m3", "bge-m3:latest", 0},
		{[]Model{model("bge-m3:latest")}, "nomic-embed-text", "", ModelMissing},
		{[]Model{{Name: "a:latest", Embeds: true, Remote: "x"}}, "a", "", Refused},
		{[]Model{{Name: "a:latest", Chats: true}}, "a", "", Refused},
	} {
		m, err := ChooseEmbed(k.models, k.named)
		if m.Name != k.want || err != nil && KindOf(err) != k.kind || (err == nil) != (k.want != "") {
			t.Errorf("%v named %q: %q, %v", k.models, k.named, m.Name, err)
		}
	}
}

func TestChooseChat(t *testing.T) {
	model := func(name string, millions int64) Model {
		return Model{Name: name, Chats: true, Parameters: millions * 1_000_000}
	}
	for _, k := range []struct {
		models []Model
		want   string
	}{
		{[]Model{model("llama3.2:3b", 3200), model("qwen3:1.7b", 1700), model("gemma3:270m", 268)}, "qwen3:1.7b"},
		{[]Model{model("llama3.1:8b", 8000), model("gemma3:270m", 268)}, "llama3.1:8b"},
		{[]Model{model("smollm:135m", 135), model("gemma3:270m", 268)}, "gemma3:270m"},
		{[]Model{model("llama3.3:70b", 70000), model("gemma3:12b", 12000)}, "gemma3:12b"},
		{[]Model{model("deepseek-r1:1.5b", 1500), model("qwen3:4b", 4000)}, "qwen3:4b"},
		{[]Model{{Name: "qwen3-embedding", Embeds: true, Parameters: 1e9}, model("x", 9000)}, "x"},
		{[]Model{{Name: "gpt-oss:20b-cloud", Chats: true, Remote: "x", Parameters: 2e9}}, ""},
	} {
		m, err := ChooseChat(k.models, "")
		if m.Name != k.want || (err == nil) != (k.want != "") {
			t.Errorf("%v: %q, %v", k.models, m.Name, err)
		}
	}
}

func TestPrefixes(t *testing.T) {
	mine := map[string]Prefix{"bge-m3": {"q ", "d "}, "nomic-embed-text:v1.5": {"Q", "D"}}
	for _, k := range []struct{ name, base, query, document string }{
		{"nomic-embed-text:latest", "", "search_query: ", "search_document: "},
		{"nomic-embed-text:v1.5", "", "Q", "D"},
		{"bge-m3:latest", "", "q ", "d "},
		{"snowflake-arctic-embed2:568m", "", "query: ", ""},
		{"hf.co/me/Snowflake-Arctic-Embed-L-v2.0-GGUF:Q8_0", "", "query: ", ""},
		{"mine:latest", "nomic_embed text", "search_query: ", "search_document: "},
		{"embeddinggemma:300m", "", "task: code retrieval | query: ", "title: {title} | text: "},
		{"unknown", "", "", ""},
	} {
		if got := PrefixOf(Model{Name: k.name, Base: k.base}, mine); got.Query != k.query || got.Document != k.document {
			t.Errorf("%s: %+v", k.name, got)
		}
	}
}
