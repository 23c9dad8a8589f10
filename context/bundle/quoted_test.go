package bundle

import "testing"

func TestQuoted(t *testing.T) {
	const code = "func Retry(n int) error {\n\tfor i := range n {\n\t\tif err := once(i); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errExhausted\n}\n"
	tests := []struct {
		name, said string
		want       bool
	}{
		{"nothing was said", "", false},
		{"as it is", "Look:\n```go\n" + code + "```\n", true},
		{"with line numbers", "  12\tfunc Retry(n int) error {\n  13\t\tfor i := range n {\n  14\t\t\tif err := once(i); err == nil {\n  15\t\t\t\treturn nil\n  16: }\n17 | }\n18→\treturn errExhausted\n19 }", true},
		{"in a diff", "+func Retry(n int) error {\n+\tfor i := range n {\n+\t\tif err := once(i); err == nil {\n+\t\t\treturn nil\n+\t\t}\n+\t}\n+\treturn errExhausted\n+}", true},
		{"a line of it", "why does it `return errExhausted`?\nreturn errExhausted", false},
		{"an older version", "func Retry(n int) error {\n\tfor i := 0; i < n; i++ {\n\t\tif once(i) == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn errExhausted\n}\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := quoted{}
			q.add(tt.said)
			if got := q.covers(code); got != tt.want {
				t.Errorf("covers = %v, want %v", got, tt.want)
			}
		})
	}
	q := quoted{}
	q.add("}\n)\n")
	if q.covers("}\n)\n") {
		t.Error("braces alone are not recognised by")
	}
}
