package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func termsOf(text string) []string {
	var out []string
	Terms([]byte(text), func(t string) { out = append(out, t) })
	return out
}

// dataOf returns the only term of a word that is data.
func dataOf(word string) string { return dataTerm([]byte(word)) }

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
		{"long number is data", "1234567", []string{"#Gn05_"}},
		{"digest is data", "deadbeef12345678", []string{"#olpB-"}},
		{"a long number in base 16", "0x4f2e91a0b 0xff", []string{dataOf("0x4f2e91a0b"), "0xff"}},
		{"data among parts", "migrate_20240105_up", []string{"migrat", dataOf("20240105"), "up", dataOf("migrate20240105up")}},
		{"one letter", "x y", nil},
		{"names of one letter", "in R or C, I think. A plan: can'T", []string{"r", "c", "think", "plan"}},
		{"names with signs", "C++ c++, C# F#. (.NET) g++", []string{"c++", "c++", "c#", "f#", "net", ".net", "g++"}},
		{"names among letters without spaces", "用C++写 RではなくF#を", []string{"用", "c++", "写", "r", "では", "はな", "なく", "f#", "を"}},
		{"counters are no names", "count++; #C a#b x.net\n\t.map(f)", []string{"count", "c", "net", "map"}},
		{"no sign of a sentence", "we use .net. Go on", []string{"use", "net", ".net", "go"}},
		{"underscores only", "__ _", nil},
		{"underscores around", "__init__", []string{"init"}},
		{"too long a part", long, []string{dataOf(long)}},
		{"underscores part what is long", strings.Repeat(long, 3) + "_retryCount", []string{
			dataOf(strings.Repeat(long, 3)), "retri", "count", "retrycount", dataOf(strings.Repeat(long, 3) + "_retrycount"),
		}},
		{"letters of any number", "索引索" + strings.Repeat("ж", 41), []string{"索引", "引索", dataOf(strings.Repeat("ж", 41))}},
		{"stop words", "where are the retries", []string{"retri"}},
		{"stop word inside a name", "isValid", []string{"valid", "isvalid"}},
		{"stemming", "handling handled handles", []string{"handl", "handl", "handl"}},
		{"short words are not stemmed", "uses bus", []string{"use", "bus"}},
		{"accents", "Größe café", []string{"größe", "café"}},
		{"cyrillic", "Привет_мир", []string{"привет", "мир"}},
		{"han pairs", "索引文件", []string{"索引", "引文", "文件"}},
		{"one han letter", "中", []string{"中"}},
		{"one han letter between latin", "get中name_文", []string{"get", "中", "name", "文"}},
		{"marks that take room", "काम", []string{"काम"}},
		{"numbers of other kinds", "²⁵ Ⅻ ٤٢", []string{"²⁵", "ⅻ", "٤٢"}},
		{"a stroke through a sign", "a_=\u0338beta", []string{"beta"}},
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

// The ways of writing one name share a term.
func TestSpellingsShareTerms(t *testing.T) {
	for _, group := range [][]string{
		{"maxFileBytes", "max_file_bytes", "MaxFileBytes", "MAX_FILE_BYTES"},
		{"parseURL", "ParseURL", "parse_url", "PARSE_URL"},
		{"userIDs", "UserIDs", "user_ids"},
		{"caf\u00e9", "cafe\u0301", "CAFE\u0301", "Caf\u00c9"},
		{"na\u00efve_Stra\u00dfe", "nai\u0308ve_Stra\u00dfe"},
		{"\u1e96ello", "h\u0331ello", "H\u0331ELLO"},
		{"5Kelvin", "5\u212aelvin"},
		{"\uac80\uc0c9\uc5b4", "\u1100\u1165\u11b7\u1109\u1162\u11a8\u110b\u1165"},
		{"\u304c\u304e", "\u304b\u3099\u304d\u3099"},
	} {
		want := termsOf(group[0])
		for _, other := range group[1:] {
			if got := termsOf(other); !slices.Equal(got, want) {
				t.Errorf("%s gives %q and %s gives %q", group[0], want, other, got)
			}
		}
	}
}

// A word as a person writes it alone shares a term with the same word with separators in it.
func TestWholeIsATerm(t *testing.T) {
	for _, group := range [][2]string{
		{"104_233", "104233"},
		{"0x8007_0005", "0x80070005"},
		{"F61D0A499A90", "f61d0a499a90"},
		{"0x80070005", "0X80070005"},
		{strings.Repeat("a1", 30), strings.Repeat("A1", 30)},
		{"maxIdleConnectionsPerHostAndPortOfTheTransport", "max_idle_connections_per_host_and_port_of_the_transport"},
	} {
		a, b := termsOf(group[0]), termsOf(group[1])
		if !slices.ContainsFunc(a, func(term string) bool { return slices.Contains(b, term) }) {
			t.Errorf("%s gives %q and %s gives %q", group[0], a, group[1], b)
		}
	}
}

// Between any separators, every part of two or more letters or digits has a term, unless it is a
// stop word, and the term is the same wherever the word occurs.
func TestEveryWordHasATerm(t *testing.T) {
	letters := []rune("abzABZ0189_中文검éж𝛂क")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom(letters), 2, 300, -1).Draw(t, "word")
		terms := termsOf(word)
		if rest := strings.Trim(word, "_"); len(terms) == 0 && utf8.RuneCountInString(rest) > 1 && !stopWords[strings.ToLower(rest)] {
			t.Fatalf("%q has no term", word)
		}
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			if got := termsOf("(" + form.String(word) + ")"); !slices.Equal(got, terms) {
				t.Fatalf("%q has the terms %q, and %q elsewhere", word, terms, got)
			}
		}
	})
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"retryCount", "索引文件", "foo\xff_bar", "HTTPServer2x", strings.Repeat("A", 200), "ÀÉîöŸ_9", "cafe\u0301_104233"} {
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

// TestOtherCase checks that a name has, as one word and as parts, the terms by which each finds the
// other.
func TestOtherCase(t *testing.T) {
	for text, want := range map[string]string{
		"paymentclient": "paymentcli→paymentclient", "PAYMENTCLIENT": "paymentcli→paymentclient",
		"PaymentClient": "paymentclient→paymentcli", "payment_client": "paymentclient→paymentcli",
		"payment": "", "a 12345678 größe": "", "retries of the filename": "retri→retries filenam→filename",
	} {
		var got []string
		OtherCase([]byte(text), func(_ []byte, term, other string) { got = append(got, term+"→"+other) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}
