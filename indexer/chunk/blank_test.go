package chunk

import (
	"bytes"
	"reflect"
	"testing"
)

// TestOutlineOfBlanks checks that an outline is the same whether the parts that have nothing but
// blanks are read or not, with the positions of the text.
func TestOutlineOfBlanks(t *testing.T) {
	p := NewParser(Options{})
	defer p.Close()
	for path, text := range map[string]string{
		"a.go":   "package a\n\nimport \"fmt\"\n\ntype T struct{ f *T }\n\nfunc (t *T) First() {\n\tvar x = t.f\n\tx.First()\n}\n\nfunc Last(t *T) {\n\tt.First()\n\tfmt.Print(t)\n}\n",
		"A.java": "class A {\n  A next;\n\n  void First() {\n    A x = next;\n    x.First();\n  }\n\n  void Last(A t) {\n    t.First();\n  }\n}\n",
		"a.c":    "struct t { int f; };\n\nint First(struct t *x) {\n  int y = x->f;\n  return y;\n}\n\nint Last(struct t *x) {\n  return First(x);\n}\n",
	} {
		src := []byte(text)
		open := bytes.Index(src, []byte("{\n"+"  int y"))
		for _, begin := range []string{"{\n\tvar x", "{\n    A x"} {
			open = max(open, bytes.Index(src, []byte(begin)))
		}
		end := open + bytes.Index(src[open:], []byte("}"))
		for i := open + 1; i < end; i++ {
			if src[i] != '\n' {
				src[i] = ' '
			}
		}
		whole := p.Outline(path, src, "First", nil)
		got := p.Outline(path, src, "First", []Span{{open + 1, end}})
		if !reflect.DeepEqual(got, whole) {
			t.Errorf("%s: %+v, want %+v", path, got, whole)
		}
		if len(got.Uses) == 0 || got.Uses[len(got.Uses)-1].Line < 7 {
			t.Errorf("%s: uses %+v", path, got.Uses)
		}
		if again := p.Outline(path, []byte(text), "First", nil); len(again.Bindings) <= len(whole.Bindings) && path != "a.c" {
			t.Errorf("%s: the next text is read in parts", path)
		}
	}
}
