package lexical

import (
	"slices"
	"strings"
	"testing"
)

func termsOf(text string) []string {
	var out []string
	Terms([]byte(text), func(t string) { out = append(out, t) })
	return out
}

func TestTerms(t *testing.T) {
	long := strings.Repeat("ab", 30)
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"punctuation", "-> (){};", nil},
		{"camel", "retryCount", []string{"retri", "count", "retrycount"}},
		{"snake", "retry_count", []string{"retri", "count", "retrycount"}},
		{"pascal", "RetryCount", []string{"retri", "count", "retrycount"}},
		{"upper snake", "RETRY_COUNT", []string{"retri", "count", "retrycount"}},
		{"acronym first", "HTTPServer", []string{"http", "server", "httpserver"}},
		{"acronym last", "serveHTTP", []string{"serv", "http", "servehttp"}},
		{"acronym between", "parseURLQuery", []string{"pars", "url", "queri", "parseurlquery"}},
		{"plural acronym", "userIDs", []string{"user", "ids", "userids"}},
		{"plural acronym alone", "URLs", []string{"url"}},
		{"plural acronym before a word", "IDsByName", []string{"ids", "name", "idsbyname"}},
		{"digits stay", "utf8 sha256 v2", []string{"utf8", "sha256", "v2"}},
		{"version in a name", "HTTPServer_v2", []string{"http", "server", "v2", "httpserverv2"}},
		{"short number", "404", []string{"404"}},
		{"long number is data", "1234567", nil},
		{"digest is data", "deadbeef12345678", nil},
		{"one letter", "x y", nil},
		{"underscores only", "__ _", nil},
		{"underscores around", "__init__", []string{"init"}},
		{"too long a part", long, nil},
		{"stop words", "where are the retries", []string{"retri"}},
		{"stop word inside a name", "isValid", []string{"valid", "isvalid"}},
		{"stemming", "handling handled handles", []string{"handl", "handl", "handl"}},
		{"short words are not stemmed", "uses bus", []string{"use", "bus"}},
		{"accents", "Größe café", []string{"größe", "café"}},
		{"cyrillic", "Привет_мир", []string{"привет", "мир"}},
		{"han pairs", "索引文件", []string{"索引", "引文", "文件"}},
		{"one han letter", "中", []string{"中"}},
		{"han between latin", "get用户name", []string{"get", "用户", "name"}},
		{"hangul", "검색어", []string{"검색", "색어"}},
		{"invalid utf-8 parts words", "foo\xffbar", []string{"foo", "bar"}},
		{"dotted", "net.Dial", []string{"net", "dial"}},
		{"hyphen", "state-dir", []string{"state", "dir"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := termsOf(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("Terms(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// The ways of writing one name meet in one term.
func TestTermsMeet(t *testing.T) {
	for _, group := range [][]string{
		{"maxFileBytes", "max_file_bytes", "MaxFileBytes", "MAX_FILE_BYTES"},
		{"parseURL", "ParseURL", "parse_url", "PARSE_URL"},
		{"userIDs", "UserIDs", "user_ids"},
	} {
		want := termsOf(group[0])
		for _, other := range group[1:] {
			if got := termsOf(other); !slices.Equal(got, want) {
				t.Errorf("%s gives %q and %s gives %q", group[0], want, other, got)
			}
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"retryCount", "索引文件", "foo\xff_bar", "HTTPServer2x", strings.Repeat("A", 200), "ÀÉîöŸ_9"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := NewBuilder()
		b.Group()
		b.Add(Body, []byte(text))
		b.Close()
		s := b.Seal()
		for _, term := range termsOf(text) {
			if len(term) == 0 || len(term) > 4*maxTermBytes {
				t.Fatalf("term %q of %d bytes", term, len(term))
			}
			if s.find(term) < 0 {
				t.Fatalf("term %q of the text is not in its segment", term)
			}
		}
	})
}
