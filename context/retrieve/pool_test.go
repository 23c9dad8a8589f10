package retrieve

import (
	"slices"
	"testing"
)

func TestFaintIsNotListed(t *testing.T) {
	s := index(t, map[string]string{
		"pay.go":    "package pay\n\n// retry tries a payment three times, since the bank blocks after four.\nfunc retry(pay func() error) error {\n\treturn pay()\n}\n",
		"util.py":   "def slugify(title):\n    return title.lower().replace(\" \", \"-\")\n",
		"README.md": "# Shop\n\nSells boats.\n",
	})
	for query, want := range map[string][]string{
		"delete user account": {},
		"boats":               {"README.md:1"},
		"slugify":             {"util.py:1"},
	} {
		got := places(s, ask(s, query, func(r *Request) { r.Literal = true }))
		if !slices.Equal(got, want) {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	if got := places(s, ask(s, "delete user account")); len(got) == 0 {
		t.Error("what is nearest is no candidate of a bundle, which has a floor of its own")
	}
}
