package retrieve

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// asked is a workspace in which unrelated code contains the verbs of questions, and the object of
// the questions occurs once.
const asked = `
-- rpc/conn.go --
package rpc

// handleAll handles messages until there are no more to handle; handle decides which handler handles one.
func (c *Conn) handleAll() { c.handle(); c.handled++ }

// handle handles one message: the handler that handles it is decided by its method.
func (c *Conn) handle() {}
-- gen/define.go --
package gen

// define defines what is defined: a definition is implemented where it is defined, and decided where it is declared.
func define(defined []string) { implemented(defined); decide(defined); declare(defined) }

func implemented(defined []string) {}
func decide(defined []string)      {}
func declare(defined []string)     {}
-- net/pool.go --
package net

// Pool keeps connections.
type Pool struct{ idle []int }

// acquire tries again with a growing pause: retries stop when the quota is used up.
func (p *Pool) acquire() {}
-- store/codec.go --
package store

// encode writes a record with its checksum in front.
func encode(record []byte) []byte { return record }
-- ui/theme.go --
package ui

// palette has the colours of the theme.
var palette = []string{"red"}
`

// TestQuestionsByTheirObject checks that the verb of a question weighs less than its object.
func TestQuestionsByTheirObject(t *testing.T) {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(asked)).Files {
		files[f.Name] = string(f.Data)
	}
	s := index(t, files)
	for prompt, path := range map[string]string{
		"where are retries handled?":             "net/pool.go",
		"Where is the quota decided":             "net/pool.go",
		"where do we handle the checksum?":       "store/codec.go",
		"how are colours defined?":               "ui/theme.go",
		"where is the checksum implemented?":     "store/codec.go",
		"which file defines the theme's palette": "ui/theme.go",
		"where is a handler handled?":            "rpc/conn.go",
		"what defines define?":                   "gen/define.go",
	} {
		if at := firstOf(s, ask(s, prompt), path); at != 0 {
			t.Errorf("%q: %s is place %d of %q", prompt, path, at+1, places(s, ask(s, prompt)))
		}
	}
}

func TestQuestionTerms(t *testing.T) {
	for _, tt := range []struct {
		text  string
		light []string
	}{
		{"where are retries handled?", []string{"handl"}},
		{"where is the definition defined", []string{"defin"}},
		{"where is it handled and decided?", nil},
		{"how does handleRequest handle errors?", nil}, // the same word is the object
		{"where is the socket opened?", nil},
	} {
		var light []string
		for _, term := range QuestionTerms(tt.text) {
			if term.Weight < 1 {
				light = append(light, term.Text)
			}
		}
		if !slices.Equal(light, tt.light) {
			t.Errorf("%q: %q weigh less, want %q", tt.text, light, tt.light)
		}
	}
}
