package settings

import (
	"strings"
	"testing"
	"time"
)

// TestHostile checks that expensive files, which a repository may contain, are processed at once.
func TestHostile(t *testing.T) {
	n := maxBytes / 2
	for name, text := range map[string]string{
		"long key":      strings.Repeat("a.", n-10) + "a=1",
		"deep list":     "a=" + strings.Repeat("[", n-10) + strings.Repeat("]", n-10),
		"deep table":    "a=" + strings.Repeat("{a=", n/3) + "1" + strings.Repeat("}", n/3),
		"many keys":     strings.Repeat("[b]\n", 1) + manyKeys(n/10),
		"many tables":   strings.ReplaceAll(manyKeys(n/12), "k", "[k"),
		"long list":     "index.exclude=[" + strings.Repeat("'a',", n/3) + "]",
		"open brackets": strings.Repeat("[", maxBytes),
	} {
		start := time.Now()
		l := repositoryLayer("/r/.contexture.toml", []byte(text))
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s took %v", name, took)
		} else {
			t.Logf("%s: %v, %d problems", name, took, len(l.Problems()))
		}
		if len(l.Problems()) == 0 || len(l.Problems()) > maxProblems {
			t.Errorf("%s: %d problems", name, len(l.Problems()))
		}
	}
	deep := strings.Repeat(`{"a":`, n/5) + "1" + strings.Repeat("}", n/5)
	if l := EditorJSON("editor", []byte(deep)); len(l.Problems()) == 0 {
		t.Error("a deep section has no problem")
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("k")
		for j := i; j > 0; j /= 26 {
			b.WriteByte(byte('a' + j%26))
		}
		b.WriteString("=1\n")
	}
	return b.String()
}
