package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/contexture-dev/contexture/server/request"
)

// samples holds a few bytes of each language that has a grammar, by file name. Each defines or
// contains "answer".
var samples = map[string]string{
	"a.go": "package a\n\nfunc answer() int { return 42 }\n", "a.py": "def answer():\n    return 42\n",
	"a.js": "function answer() { return 42 }\n", "a.ts": "function answer(): number { return 42 }\n",
	"a.tsx": "function answer() { return <b>42</b> }\n", "a.java": "class Answer { int answer() { return 42; } }\n",
	"a.c": "int answer(void) { return 42; }\n", "a.cpp": "class Answer { int answer() { return 42; } };\n",
	"a.cs": "class Answer { int answer() { return 42; } }\n", "a.rs": "fn answer() -> i32 { 42 }\n",
	"a.rb": "def answer\n  42\nend\n", "a.php": "<?php\nfunction answer() { return 42; }\n",
	"a.kt": "fun answer(): Int { return 42 }\n", "a.swift": "func answer() -> Int { return 42 }\n",
	"a.scala": "object Answer { def answer: Int = 42 }\n", "a.lua": "function answer() return 42 end\n",
	"a.sh": "answer() { echo 42; }\n", "a.sql": "CREATE TABLE answer (id INT);\n",
	"a.html": "<p id=\"answer\">42</p>\n", "a.css": ".answer { width: 42px; }\n",
	"a.yaml": "answer: 42\n", "a.toml": "[answer]\nis = 42\n",
	"a.tf": "variable \"answer\" {\n  default = 42\n}\n", "a.proto": "syntax = \"proto3\";\nmessage Answer { int32 answer = 1; }\n",
	"a.ex": "defmodule Answer do\n  def answer, do: 42\nend\n", "a.hs": "module Answer where\n\nanswer :: Int\nanswer = 42\n",
	"a.dart": "int answer() => 42;\n", "a.ml": "let answer () = 42\n",
	"a.jl": "answer() = 42\n", "a.r": "answer <- function() 42\n",
	"a.zig":      "pub fn answer() i32 {\n    return 42;\n}\n",
	"Dockerfile": "FROM answer\nRUN true\n", "a.md": "# Answer\n\nIt is 42.\n",
}

// checkGrammars parses a few bytes of each language.
func (p *patient) checkGrammars() {
	parser := chunk.NewParser(chunk.Options{})
	defer parser.Close()
	var bad []string
	for name, text := range samples {
		file := parser.Parse(name, []byte(text))
		if file.Problem != "" || len(file.Chunks) == 0 || file.Language == "" {
			bad = append(bad, strings.TrimSpace(chunk.Language(name, []byte(text))+" "+file.Problem))
		}
	}
	slices.Sort(bad)
	if len(bad) > 0 {
		p.add("grammars", warning, "not working: "+strings.Join(bad, ", "), "their files are searchable as plain text; rebuild the program with cgo to fix this")
		return
	}
	p.add("grammars", fine, fmt.Sprintf("all %d languages parse", len(samples)), "")
}

// checkIndex opens the index as a session does, and reports its state without waiting until it is
// up to date. Opening it with other settings would rebuild it, since an index is kept only with the
// settings with which it was made.
func (p *patient) checkIndex(ctx context.Context) {
	const check = "index"
	if p.place.tree == nil || p.state == "" || !p.place.settings.Enabled {
		return
	}
	w, err := p.f.indexed(ctx, p.place.root)
	if p.notes(err) {
		return
	}
	if err != nil {
		p.add(check, fault, err.Error(), "")
		return
	}
	if !w.about.HasIndex {
		p.add(check, fine, "not built yet; the first request or contexture index builds it", "")
	} else {
		p.openIndex(ctx, w)
	}
	if err := w.close(); err != nil {
		p.add(check, warning, err.Error(), "")
	}
}

// openIndex checks an index that exists.
func (p *patient) openIndex(ctx context.Context, w *workspace) {
	const check = "index"
	x, err := asked[request.IndexResult](ctx, w.client, request.IndexOpen, nil)
	locked, isLocked := errors.AsType[*store.LockedError](err)
	switch {
	case p.notes(err):
	case isLocked:
		p.add(check, fine, fmt.Sprintf("in use by process %d, which serves it", locked.PID), "")
	case err != nil:
		p.add(check, fault, explain(err).Error(), "")
	case !x.Off:
		p.describeIndex(w.about.IndexDir, x.Status)
	}
}

func (p *patient) describeIndex(dir string, st indexer.Status) {
	const check = "index"
	detail := fmt.Sprintf("%s, version %d, %s, in %s", counted(st.Files, "file"), st.Version, bytesText(diskBytes(dir)), p.f.env.tilde(dir))
	switch {
	case len(st.Errors) > 0:
		p.add(check, warning, detail+": "+strings.Join(st.Errors, "; "), "contexture index brings it up to date")
	case len(st.Quarantined) > 0:
		q := st.Quarantined[0]
		p.add(check, fine, fmt.Sprintf("%s; %s searchable as plain text only, such as %s: %s", detail, counted(len(st.Quarantined), "file"), q.Path, q.Reason), "")
	default:
		p.add(check, fine, detail, "")
	}
}

// checkTokens counts the tokens of a text whose count in both encodings is known (by tiktoken).
func (p *patient) checkTokens() {
	const text = "contexture counts tokens exactly: func main() { fmt.Println(\"héllo, wörld\") }"
	for encoding, want := range map[tokens.Encoding]int{tokens.O200k: 21, tokens.CL100k: 22} {
		counter, err := tokens.For(encoding)
		if err != nil {
			p.add("tokens", fault, err.Error(), "the program is damaged: install it again")
			return
		}
		if got := counter.Count(text); got != want {
			p.add("tokens", fault, fmt.Sprintf("%s counts %d instead of %d", encoding, got, want), "the program is damaged: install it again")
			return
		}
	}
	p.add("tokens", fine, "o200k_base and cl100k_base count right", "")
}
