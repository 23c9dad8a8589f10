package remember

import (
	"testing"

	"github.com/contexture-dev/contexture/memory/subject"
)

func TestNamedBy(t *testing.T) {
	acquire := Symbol{Name: "Acquire", Container: "Pool"}
	backoff := Symbol{Name: "Backoff"}
	for _, tt := range []struct {
		symbol        Symbol
		mention, file string
		means, surely bool
	}{
		{acquire, "Acquire", "store/pool.go", true, true},
		{acquire, "Pool.Acquire", "store/pool.go", true, true},
		{acquire, "pool.Acquire", "store/x.go", true, true},
		{acquire, "store.Pool.Acquire", "x.go", true, true},
		{acquire, "Pool::Acquire", "x.rs", true, true},
		{acquire, "Pool#Acquire", "x.rb", true, true},
		{acquire, "Lock.Acquire", "store/pool.go", true, false},
		{acquire, "Acquire.Pool", "store/pool.go", false, false},
		{acquire, "acquire", "store/pool.go", false, false},
		{acquire, "", "store/pool.go", false, false},
		{backoff, "retry.Backoff", "net/retry.go", true, true},
		{backoff, "net.Backoff", "net/retry.go", true, true},
		{backoff, "other.Backoff", "net/retry.go", true, false},
		{Symbol{Name: "New"}, "New", "store/pool.go", true, false},
		{Symbol{Name: "New"}, "store.New", "store/pool.go", true, true},
		{Symbol{Name: "main"}, "main", "main.go", true, false},
		{Symbol{Name: "x"}, "x", "main.go", true, false},
		{Symbol{Name: "Acquire", Unsure: true}, "Pool.Acquire", "main.go", true, true},
		{Symbol{Name: "Run", Unsure: true}, "Pool.Run", "main.go", true, false},
	} {
		means, surely := tt.symbol.namedBy(tt.mention, tt.file)
		if means != tt.means || surely != tt.surely {
			t.Errorf("%q for %+v in %s: %v %v", tt.mention, tt.symbol, tt.file, means, surely)
		}
	}
}

func TestFileNamedBy(t *testing.T) {
	for _, tt := range []struct {
		mention, file string
		want          bool
	}{
		{"a/b.go", "a/b.go", true},
		{"b.go", "a/b.go", false}, // perhaps another one
		{"a/b.go", "x/a/b.go", true},
		{"repo/a/b.go", "a/b.go", true},
		{"cmd/main.go", "main.go", false},
		{"main.go", "main.go", true},
		{"aa/b.go", "a/b.go", false},
		{"a/b.go", "xa/b.go", false},
	} {
		if got := fileNamedBy(tt.mention, tt.file); got != tt.want {
			t.Errorf("%q for %s: %v", tt.mention, tt.file, got)
		}
	}
	p := Place{Path: "a/b.go", Alone: func(base string) bool { return base == "b.go" }}
	if !p.meansFile("a/b.go", []string{"b.go"}) || p.meansFile("a/c.go", []string{"c.go"}) || p.meansFile("", []string{""}) {
		t.Error("a base name means a file exactly where no other has it")
	}
}

func TestCommon(t *testing.T) {
	s := Symbol{Name: "Acquire", Container: "Pool"}
	for _, tt := range []struct {
		name  string
		found []subject.LookupHit
		want  bool
	}{
		{"rare and in full", []subject.LookupHit{{Score: 1.2, Symbols: []string{"Pool.Acquire"}}}, false},
		{"rare and bare", []subject.LookupHit{{Score: 1.35, Symbols: []string{"Acquire"}}}, false},
		{"rare, the second is old", []subject.LookupHit{{Score: 1.2, Symbols: []string{"Pool.Acquire"}}, {Score: .6, Symbols: []string{"Pool.Acquire"}}}, false},
		{"common", []subject.LookupHit{{Score: .5, Symbols: []string{"Acquire"}}}, true},
	} {
		if got := s.common(tt.found); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
