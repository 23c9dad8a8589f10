package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// tokenFiles hold texts that people search for by their exact spelling.
var tokenFiles = map[string]string{
	"errors.go": "package errors\n\n// Denied is E_ACCESSDENIED, see PROJ-1234567 and KB5034441.\nconst Denied = 0x80070005\n\n" +
		"// build 104233 of commit f61d0a499a90 (f61d0a499a90c6ea3ef7e6d17c1c1d6f3b2a1f09).\nfunc IsDenied(code uint32) bool {\n\tx, y := code, 7\n\treturn x == Denied || y == 1_048_576\n}\n",
	"notes.md": "# Who to call\n\nOffice: +1 (555) 867-5309, 030/12345678, 0800.7654321 or 5558675309.\nThe host is 192.168.10.254, port 8080; use v1.2.3 of it, not 10.20.30.\n" +
		"On 2024-01-05 at 12:30:45.123456 it was the end of all of them: to be or not to be, a b c.\n",
	"data.csv": "id,uuid,amount\n1000001,550e8400-e29b-41d4-a716-446655440000,1234567.89\n1000002,6ba7b810-9dad-11d1-80b4-00c04fd430c8,0.000001\n",
	"long.py": "def test_that_the_handler_returns_an_error_when_the_context_is_cancelled_before_the_deadline_has_passed_for_the_very_first_time_since_the_process_was_started_and_again(): pass\n" +
		"TheTransportKeepsNoMoreIdleConnectionsPerHostThanTheSettingSays = aVeryLongNameThatNobodyWouldEverWriteByHandButGeneratorsDo20240105\n" +
		"blob = '" + strings.Repeat("4fA0zQ", 60) + "'\n",
	"deep/20231224_migration_0042.sql": "ALTER TABLE t20231224 ADD COLUMN c9876543 int;\nSELECT 'abc123def456' FROM dual;\n",
	"words.txt": "café Größe naïveté Übergröße Привет_мир 索引文件 中 검색어 かがみ काम ประเทศ ٠١٢٣٤٥٦٧ x² Ⅻ\n" +
		"cafe\u0301 nai\u0308ve \u1100\u1165\u11b7\u1109\u1162\u11a8 = ≠ → C R i\n",
	"conf.yaml": "timeout: 30\nkey: 0xdeadbeefcafe\nmac: 00:1a:2b:3c:4d:5e\ncolour: '#1a2b3c'\nid: 01HZXW3E5V7J9K2M4N6P8Q0RST\n",
}

// delimited returns the parts of a text between spaces and punctuation, each once.
func delimited(text string) []string {
	list := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	slices.Sort(list)
	return slices.Compact(list)
}

// TestEveryTokenIsFound checks that a search for any token of a workspace finds the files and
// buffers that contain it.
func TestEveryTokenIsFound(t *testing.T) {
	root := servertest.Tree(t, tokenFiles)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	misses := func(t *testing.T, uri, text string) {
		for _, mode := range []string{"lexical", "hybrid"} {
			for _, token := range append(delimited(text), strings.Fields(text)...) {
				hits := e.Search(args{"query": token, "mode": mode, "limit": 200, "deadlineMs": 60000, "kinds": []string{"code", "doc"}})
				if !slices.ContainsFunc(hits, func(h servertest.Hit) bool { return h.URI == uri }) {
					t.Errorf("%s: %q is not found in %s", mode, token, uri)
				}
			}
		}
	}
	for name, text := range tokenFiles {
		t.Run(name, func(t *testing.T) { misses(t, servertest.URI(filepath.Join(root, name)), text) })
	}
	t.Run("file name", func(t *testing.T) {
		misses(t, servertest.URI(filepath.Join(root, "deep/20231224_migration_0042.sql")), "20231224 20231224_migration_0042.sql 0042")
	})
	t.Run("buffers", func(t *testing.T) {
		for uri, text := range map[string]string{
			"untitled:Untitled-1":                             "call 0151/23456789 about 0xC0000005 and 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
			servertest.URI(filepath.Join(root, "notes.md")):   "now it is 7654321, k and the ticket INC0012345678",
			servertest.URI(filepath.Join(root, "unsaved.go")): "package unsaved\n\nvar serial = 12345678901234567890\n",
		} {
			e.Open(uri, text)
			misses(t, uri, text)
		}
	})
}

// TestEveryTokenOfAMessageIsFound checks the same for messages in memory.
func TestEveryTokenOfAMessageIsFound(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{servertest.Tree(t, nil)}})
	said := map[string]string{}
	for name, text := range tokenFiles {
		said["c-"+name] = text
		say(t, e, "c-"+name, user(text))
	}
	for conversation, text := range said {
		for _, token := range append(delimited(text), strings.Fields(text)...) {
			r := ask[command.SearchResult](t, e, "contexture.search", args{"query": token, "kinds": []string{"message"}, "limit": 200, "deadlineMs": 60000})
			if !slices.ContainsFunc(r.Hits, func(h command.Hit) bool { return h.ConversationID == conversation }) {
				t.Errorf("%q is not found in %s", token, conversation)
			}
		}
	}
}

// TestSemanticFallsBackToKeywords checks that keyword matches replace semantic matches when the
// embedder knows no word of the query, and that the answer says so.
func TestSemanticFallsBackToKeywords(t *testing.T) {
	tiny := servertest.Tree(t, map[string]string{"retry.go": source("retryWithBackoff")})
	large := servertest.Tree(t, map[string]string{"once.go": source("xylophone")})
	words := strings.Fields("order price user handler parser cache queue token socket ledger invoice buffer")
	for i := range 60 {
		servertest.WriteFile(t, filepath.Join(large, fmt.Sprintf("f%d.go", i)), source(words[i%12]+"_"+words[i*5%12]+"_"+words[(i*7+i/12)%12]))
	}
	for _, tt := range []struct{ name, root, query, file, reason string }{
		{"a word without a term", tiny, "it", "retry.go", "badAnswer"},
		{"a word that the embedder does not know", large, "xylophone", "once.go", "badAnswer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := servertest.Start(t, servertest.Options{Roots: []string{tt.root}})
			e.AwaitIdle()
			var r command.SearchResult
			e.Eventually("the pieces have vectors", func() bool {
				r = ask[command.SearchResult](t, e, "contexture.search", args{"query": tt.query, "mode": "semantic", "deadlineMs": 20000})
				return !slices.ContainsFunc(r.Degraded, func(d command.Degradation) bool { return d.Reason == "indexing" })
			})
			if len(r.Hits) == 0 || r.Hits[0].URI != servertest.URI(filepath.Join(tt.root, tt.file)) {
				t.Errorf("%+v", r.Hits)
			}
			if len(r.Degraded) != 1 || r.Degraded[0].Stage != "vector" || r.Degraded[0].Reason != tt.reason || !strings.Contains(r.Degraded[0].Detail, "keyword") {
				t.Errorf("%+v", r.Degraded)
			}
			if !slices.ContainsFunc(r.Stages, func(s command.Stage) bool { return s.Name == "vector" && s.Outcome == "fallback" }) {
				t.Errorf("%+v", r.Stages)
			}
		})
	}
}

// TestExactWordFirst checks that among many texts with the same words, the one with the exact word,
// number or digest is first, wherever in the text that is.
func TestExactWordFirst(t *testing.T) {
	files := map[string]string{
		"testdata/trace.txt":            "goroutine 7 pc=4310756 value=17265160 at 0x4f2e91a0b\n",
		"internal/keys/keys_test.go":    "package keys\n\n// kSecKeyAlgorithmDigestX962 is for tests.\nvar kSecKeyAlgorithmDigestX962 = 1\n",
		"docs/old/2023_migration_71.md": "Nothing to see.\n",
	}
	for i := range 120 {
		files[fmt.Sprintf("key/algorithm%d.go", i)] = source(fmt.Sprintf("KeyAlgorithmValue%d", i)) + "\n// pc and value of the key's digest algorithm: sec 962, migration of 71 keys.\n"
	}
	root := servertest.Tree(t, files)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for query, file := range map[string]string{
		"pc=4310756": "testdata/trace.txt", "value=17265160": "testdata/trace.txt", "4310756": "testdata/trace.txt",
		"which value has the key at 0x4f2e91a0b?": "testdata/trace.txt",
		"kSecKeyAlgorithmDigestX962":              "internal/keys/keys_test.go", "2023_migration_71": "docs/old/2023_migration_71.md",
	} {
		for _, mode := range []string{"lexical", "hybrid"} {
			hits := e.Search(args{"query": query, "mode": mode, "deadlineMs": 60000, "kinds": []string{"code", "doc"}})
			if len(hits) == 0 || hits[0].URI != servertest.URI(filepath.Join(root, file)) {
				t.Errorf("%s: %q finds %+v first, want %s", mode, query, hits[:min(1, len(hits))], file)
			}
		}
	}
	b := ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": "why does it stop at pc=4310756?", "deadlineMs": 60000})
	if !strings.Contains(b.Text, "goroutine 7") {
		t.Errorf("the bundle for a number of the trace lacks it:\n%s", b.Text)
	}
}
