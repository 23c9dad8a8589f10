package retrieve

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"golang.org/x/tools/txtar"
)

// relations is a workspace in which each name occurs in its definition, in comments, imports,
// strings and tests, and is used elsewhere, sometimes by code that shares a part of its name.
const relations = `
-- pool/pool.go --
package pool

// Store keeps connections. Acquire and drain belong to it.
type Store interface {
	Closer
	Acquire() int
}

// Closer is a part of Store.
type Closer interface{ Drain() }

// Pool is one.
type Pool struct{ free []int }

// Acquire takes a connection: Acquire, Acquire, Acquire. Whoever calls Acquire waits.
func (p *Pool) Acquire() int { return p.take() }

// Drain is called last. Callers of Drain wait.
func (p *Pool) Drain() {}

func (p *Pool) take() int { return len(p.free) }
-- pool/half.go --
package pool

// Half lacks what Store embeds.
type Half struct{}

// Acquire is all that it has.
func (h *Half) Acquire() int { return 0 }
-- lock/lock.go --
package lock

// Lock is no store.
type Lock struct{}

// Acquire takes the lock.
func (l *Lock) Acquire() bool { return true }

func guard(l *Lock) { l.Acquire() }
-- serve/serve.go --
package serve

import "example.com/pool"

// Serve serves with a connection.
func Serve(p *pool.Pool) int {
	return p.Acquire()
}
-- serve/stop.go --
package serve

import "example.com/pool"

// Stop stops.
func Stop(p *pool.Pool) {
	println("drain: Acquire")
	p.Drain()
}
-- pool/pool_test.go --
package pool

import "testing"

func TestPool(t *testing.T) { new(Pool).Acquire() }
-- codec/scan.h --
int scan_token(const char *text, int at);
int scan_word(const char *text);
-- codec/scan.c --
#include "scan.h"

static int classify_byte(char c);

int scan_token(const char *text, int at) {
  return classify_byte(text[at]);
}

/* classify_byte is called by scan_token: classify_byte, classify_byte. */
static int classify_byte(char c) {
  return c > ' ';
}
-- shapes/base.py --
from abc import ABC


class Shape(ABC):
    """A Shape has an area. Shape, Shape, Shape: each Shape extends Shape."""

    def area(self):
        raise NotImplementedError
-- shapes/square.py --
from shapes.base import Shape
from shapes.measure import measure


class Square(Shape):
    def area(self):
        return measure(self.side) * 2
-- shapes/measure.py --
def measure(side):
    """measure measures; whoever calls measure gets a number."""
    return side
-- shapes/__init__.py --
from shapes.measure import measure
from shapes.square import Square
-- tests/test_shapes.py --
from shapes.measure import measure


def test_measure():
    assert measure(2) == 2
-- sized/Fit.hs --
module Sized.Fit
  ( fitted
  , shrink
  ) where

-- | shrink is called by fitted: shrink, shrink.
shrink :: Int -> Int
shrink n = n - 1

fitted :: Int -> Int
fitted n = 2 * (n - 1)
-- sized/Use.hs --
module Sized.Use where

import Sized.Fit (shrink)

twice :: Int -> Int
twice n = shrink (shrink n)
`

// TestRelated checks that what uses, implements or tests a symbol comes first, before its
// definition and text about it.
func TestRelated(t *testing.T) {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(relations)).Files {
		files[f.Name] = string(f.Data)
	}
	s := index(t, files)
	for _, tt := range []struct {
		prompt string
		first  []string // any of them
		not    []string // that come after the definition, or are not found
	}{
		{"who calls Pool.Acquire?", []string{"serve/serve.go"}, []string{"lock/lock.go", "serve/stop.go"}},
		{"wer ruft die Methode Drain von Pool auf", []string{"serve/stop.go"}, []string{"serve/serve.go"}},
		{"callers of the Acquire method of Lock", []string{"lock/lock.go"}, []string{"serve/serve.go"}},
		{"谁调用了 classify_byte", []string{"codec/scan.c"}, nil},
		{"where is measure called?", []string{"shapes/square.py"}, []string{"shapes/__init__.py"}},
		{"measure usages", []string{"shapes/square.py"}, []string{"shapes/__init__.py"}},
		{"which functions call shrink", []string{"sized/Use.hs"}, nil},
		{"subclasses of Shape", []string{"shapes/square.py"}, []string{"shapes/__init__.py"}},
		{"welche Klassen erben von Shape?", []string{"shapes/square.py"}, nil},
		{"what implements Store", []string{"pool/pool.go"}, []string{"pool/half.go", "lock/lock.go"}},
		{"which tests cover measure?", []string{"tests/test_shapes.py"}, nil},
		{"Tests zu Pool.Acquire", []string{"pool/pool_test.go"}, nil},
	} {
		found := relatedOf(s, tt.prompt)
		if len(found) == 0 || !slices.Contains(tt.first, s.Chunk(found[0].Chunk).Path) {
			t.Errorf("%q: %q comes first of %q", tt.prompt, placesOfRelated(s, found), tt.first)
			continue
		}
		if len(found[0].Reasons) == 0 || !found[0].Named {
			t.Errorf("%q: the first has no reason: %+v", tt.prompt, found[0])
		}
		for _, path := range tt.not {
			if slices.ContainsFunc(found, func(c *item.Item) bool { return s.Chunk(c.Chunk).Path == path && c.Score > answerLeast }) {
				t.Errorf("%q: %s is an answer: %q", tt.prompt, path, placesOfRelated(s, found))
			}
		}
	}
}

// answerLeast is the upper bound of all other scores if there is a sure answer.
const answerLeast = .55

func relatedOf(s *indexer.Snapshot, prompt string) []*item.Item {
	return Run(context.Background(), s, Request{
		Query: prompt, Intent: intent.Classify(prompt, intent.Context{}), Limit: 30, Deadline: time.Minute, Literal: true,
	}, time.Now).Candidates
}

func placesOfRelated(s *indexer.Snapshot, list []*item.Item) (out []string) {
	for _, c := range list {
		out = append(out, s.Chunk(c.Chunk).Path)
	}
	return out
}

// TestRelatedChangesNothingElse checks that a prompt that names a symbol and asks for no relation
// is ranked by the rankers alone.
func TestRelatedChangesNothingElse(t *testing.T) {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(relations)).Files {
		files[f.Name] = string(f.Data)
	}
	s := index(t, files)
	for _, prompt := range []string{"where is classify_byte defined", "classify_byte", "how do I call classify_byte?", "re-use the buffer that classify_byte returns for all tokens"} {
		q := Request{Query: prompt, Intent: intent.Classify(prompt, intent.Context{}), Limit: 30, Deadline: time.Minute}
		_, seen := Observe(context.Background(), s, q, time.Now)
		for _, o := range seen {
			if o.Answers > 0 {
				t.Errorf("%q: %s answers by %.2f", prompt, s.Chunk(o.Chunk).Path, o.Answers)
			}
		}
	}
}

func TestAnswered(t *testing.T) {
	for _, tt := range []struct{ p, answers, best, least, most float64 }{
		{.4, 0, 0, .4, .4},     // no relation is asked for
		{.99, 0, .95, .5, .55}, // the definition, beside a sure answer
		{.01, .95, .95, .93, .95},
		{.99, .95, .95, .95, .96},
		{1, 1, 1, 1, 1},
	} {
		if got := Answered(tt.p, tt.answers, tt.best); got < tt.least || got > tt.most {
			t.Errorf("Answered(%v, %v, %v) = %v", tt.p, tt.answers, tt.best, got)
		}
	}
}

func TestIsPrototype(t *testing.T) {
	for line, want := range map[string]bool{
		"int scan(const char *text);":         true,
		"static struct token *scan(char *s);": true,
		"extern int scan(void);":              true,
		"int total = scan(text);":             false,
		"scan(text);":                         false, // a macro that makes definitions
		"#define twice(x) scan(scan(x))":      false,
		"table[] = { scan(1) };":              false,
	} {
		if got := isPrototype(line, "scan"); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
