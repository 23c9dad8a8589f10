package server_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestSkipped checks that a skipped file is listed with the same reason as in the answer of
// `index.why`.
func TestSkipped(t *testing.T) {
	root := project(t)
	servertest.WriteFile(t, filepath.Join(root, "odd\xff%2f.log"), "x")
	servertest.WriteFile(t, filepath.Join(root, ".contextureignore"), "*.log\n")
	servertest.WriteFile(t, filepath.Join(root, "sub", "key.pem"), "x")
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	var all []command.SkippedFile
	for a := (args{"limit": 1}); ; {
		r := ask[command.SkippedResult](t, e, "contexture.index.skipped", a)
		if len(r.Files) > 1 || len(all) > 20 {
			t.Fatalf("%+v after %+v", r.Files, all)
		}
		all = append(all, r.Files...)
		if r.Next == "" {
			break
		}
		a["after"] = r.Next
	}
	want := []string{"data.bin binary", "docs/image.png binary", "odd\uFFFD%2f.log ignored .contextureignore:1", "out ignored .gitignore:2", "sub/key.pem excluded"}
	if len(all) != len(want) {
		t.Fatalf("%+v, want %q", all, want)
	}
	for i, f := range all {
		line := f.Path + " " + f.Reason
		if f.Line > 0 {
			line += " " + f.Source + ":" + string(rune('0'+f.Line))
		}
		if line != want[i] || f.Rule == "" || f.Source == "" || f.Folder != (f.Path == "out") {
			t.Errorf("%+v, want %s", f, want[i])
		}
		if strings.Contains(f.Path, "\uFFFD") {
			continue // its URI has another name
		}
		why := ask[command.WhyResult](t, e, "contexture.index.why", args{"textDocument": args{"uri": servertest.URI(filepath.Join(root, f.Path))}})
		if why != (command.WhyResult{Rule: f.Rule, Source: f.Source, Line: f.Line}) {
			t.Errorf("%+v, but why says %+v", f, why)
		}
	}
	r := ask[command.SkippedResult](t, e, "contexture.index.skipped", args{"reason": "binary", "query": "IMAGE"})
	if len(r.Files) != 1 || r.Files[0].Path != "docs/image.png" || r.Next != "" {
		t.Errorf("binary images: %+v", r)
	}
	status := ask[command.IndexStatusResult](t, e, "contexture.index.status", args{})
	if len(status.Languages) < 4 || status.Languages[0].Files < status.Languages[1].Files || status.Languages[0].Chunks == 0 {
		t.Errorf("languages %+v", status.Languages)
	}
	for field, a := range map[string]args{"reason": {"reason": "because"}, "limit": {"limit": 1001}, "after": {"after": "%zz"}} {
		var refused *servertest.Error
		if err := e.Execute("contexture.index.skipped", a, nil); !errors.As(err, &refused) || refused.Code != command.CodeInvalidParams || refused.Data.Field != field {
			t.Errorf("%v: %v", a, err)
		}
	}
}

func TestSkippedWithoutWorkspace(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	if r := ask[command.SkippedResult](t, e, "contexture.index.skipped", args{}); len(r.Files) > 0 || r.Next != "" {
		t.Errorf("%+v", r)
	}
}

// TestExclude checks that a pattern is in the file when the answer arrives, and that the index
// follows.
func TestExclude(t *testing.T) {
	root := project(t)
	path := filepath.Join(root, ".contextureignore")
	servertest.WriteFile(t, path, "# mine\r\n*.tmp")
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	found := func() bool {
		uri := servertest.URI(filepath.Join(root, "cache", "lru.go"))
		return slices.ContainsFunc(e.Search(args{"query": "Evict"}), func(h servertest.Hit) bool { return h.URI == uri })
	}
	if !found() {
		t.Fatal("cache/lru.go is not found before")
	}
	for _, step := range []struct {
		args     args
		file     string
		patterns []string
		found    bool
	}{
		{args{"pattern": "/cache/"}, "# mine\r\n*.tmp\r\n/cache/", []string{"*.tmp", "/cache/"}, false},
		{args{"pattern": "/cache/"}, "# mine\r\n*.tmp\r\n/cache/", []string{"*.tmp", "/cache/"}, false},
		{args{"pattern": "/cache/", "remove": true}, "# mine\r\n*.tmp", []string{"*.tmp"}, true},
	} {
		r := ask[command.ExcludeResult](t, e, "contexture.index.exclude", step.args)
		text, err := os.ReadFile(path)
		if err != nil || string(text) != step.file || !slices.Equal(r.Patterns, step.patterns) || r.URI != servertest.URI(path) {
			t.Errorf("%v: %+v, the file is %q, %v", step.args, r, text, err)
		}
		e.Eventually("the index follows", func() bool { return found() == step.found })
	}
	for _, tt := range []struct {
		args args
		code int
		what string // field or code of the data
	}{
		{args{"pattern": "/cache/", "remove": true}, command.CodeRequestFailed, "notFound"},
		{args{"pattern": "a\nb"}, command.CodeInvalidParams, "pattern"},
		{args{"pattern": "# a"}, command.CodeInvalidParams, "pattern"},
		{args{"pattern": ""}, command.CodeInvalidParams, "pattern"},
		{args{}, command.CodeInvalidParams, "pattern"},
	} {
		var refused *servertest.Error
		err := e.Execute("contexture.index.exclude", tt.args, nil)
		if !errors.As(err, &refused) || refused.Code != tt.code || refused.Data.Field+refused.Data.Code != tt.what {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
	none := servertest.Start(t, servertest.Options{})
	var refused *servertest.Error
	if err := none.Execute("contexture.index.exclude", args{"pattern": "x"}, nil); !errors.As(err, &refused) || refused.Data.Code != "unavailable" {
		t.Errorf("without a workspace: %v", err)
	}
}

// TestSecrets checks that secrets are counted by rule and file, that no answer contains their text,
// and that a text about redaction contains none.
func TestSecrets(t *testing.T) {
	p := newPlanted()
	aws, github := p.secret("aws"), p.secret("github")
	root := servertest.Tree(t, map[string]string{
		"a.go":    "package a\n\nvar key = \"" + aws + "\"\n\nvar token = \"" + github + "\"\n",
		"b/c.py":  "token = '" + github + "'\n",
		"doc.md":  "# Secrets\n\nA token becomes [REDACTED:github-pat] in the index.\n",
		"main.go": source("unrelated"),
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	var all []string
	total := 0
	for a := (args{"limit": 1}); len(all) < 10; {
		var raw json.RawMessage
		e.MustExecute("contexture.index.secrets", a, &raw)
		if found := p.found(raw); len(found) > 0 {
			t.Fatalf("%v are in %s", found, raw)
		}
		var r command.SecretsResult
		if err := json.Unmarshal(raw, &r); err != nil || len(r.Findings) != 1 {
			t.Fatalf("%s, %v", raw, err)
		}
		total = r.Total
		for _, f := range r.Findings {
			all = append(all, f.Path+" "+f.Rule)
			if f.Count != 1 {
				t.Errorf("%+v", f)
			}
		}
		if r.Next == "" {
			break
		}
		a["after"] = r.Next
	}
	if got := strings.Join(all, ", "); got != "a.go aws-access-token, a.go github-pat, b/c.py github-pat" || total != 3 {
		t.Errorf("%s; %d in all", got, total)
	}
	servertest.WriteFile(t, filepath.Join(root, "b", "c.py"), "token = None\n")
	e.Eventually("the index follows the disk", func() bool {
		return ask[command.SecretsResult](t, e, "contexture.index.secrets", args{}).Total == 2
	})
	for field, a := range map[string]args{"limit": {"limit": 0}, "after": {"after": "a.go"}} {
		var refused *servertest.Error
		if err := e.Execute("contexture.index.secrets", a, nil); !errors.As(err, &refused) || refused.Code != command.CodeInvalidParams || refused.Data.Field != field {
			t.Errorf("%v: %v", a, err)
		}
	}
}
