package server_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// stall is a workspace in which brew calls other functions and is called.
func stall() map[string]string {
	return map[string]string{
		".gitignore":    "hidden/\n",
		"tea/brew.go":   "package tea\n\n// brew makes a pot.\nfunc brew(leaves int) error {\n\tif err := heat(100); err != nil {\n\t\treturn err\n\t}\n\treturn steep(leaves)\n}\n",
		"tea/heat.go":   "package tea\n\n// heat boils the kettle.\nfunc heat(degrees int) error {\n\treturn nil\n}\n",
		"tea/steep.go":  "package tea\n\n// steep waits.\nfunc steep(leaves int) error {\n\treturn nil\n}\n",
		"tea/serve.go":  "package tea\n\n// serve pours what was brewed.\nfunc serve(guests int) error {\n\treturn brew(guests * 2)\n}\n",
		"till/pay.go":   "package till\n\n// pay takes the money, as every function of the till does.\nfunc pay(coins int) int {\n\treturn coins\n}\n",
		"hidden/own.go": "package hidden\n\nfunc ownRecipe() error {\n\treturn brew(3) // hiddenWord\n}\n",
		"notes.md":      "# Notes\n\nA function a day.\n",
	}
}

// spotOf returns the arguments of a bundle for a location in a document.
func spotOf(root, path string, line, character int) args {
	return args{"textDocument": args{"uri": servertest.URI(filepath.Join(root, path))}, "position": args{"line": line, "character": character}}
}

func with(a args, more args) args {
	out := args{"prompt": "What does this function do?", "deadlineMs": 20000}
	for _, m := range []args{a, more} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// why lists the reasons of a bundle's items by path, and the paths in order of score.
func why(root string, b *command.BundleResult) (reasons map[string]string, order []string) {
	reasons = map[string]string{}
	items := slices.Clone(b.Items)
	slices.SortStableFunc(items, func(x, y command.Item) int {
		switch {
		case x.Score > y.Score:
			return -1
		case x.Score < y.Score:
			return 1
		}
		return 0
	})
	for _, it := range items {
		if it.URI == "" || it.Kind != "code" && it.Kind != "doc" && it.Kind != "entity" {
			continue
		}
		path := strings.TrimPrefix(it.URI, servertest.URI(root)+"/")
		reasons[path], _, _ = strings.Cut(it.Reason, ";")
		order = append(order, path)
	}
	return reasons, order
}

// TestBundleAtCursor checks that a prompt that does not name its object is answered with what is at
// the cursor.
func TestBundleAtCursor(t *testing.T) {
	files := stall()
	root := servertest.Tree(t, files)
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	uri := func(path string) string { return servertest.URI(filepath.Join(root, path)) }
	inBrew := spotOf(root, "tea/brew.go", 5, 2)
	around := map[string]string{
		"tea/brew.go": "the function at the cursor", "tea/heat.go": "called by brew", "tea/steep.go": "called by brew", "tea/serve.go": "calls brew",
	}
	at := func(from, to [2]int) args {
		return args{"start": args{"line": from[0], "character": from[1]}, "end": args{"line": to[0], "character": to[1]}}
	}
	for _, tt := range []struct {
		name  string
		args  args
		first string
		want  map[string]string // nil: nothing of the workspace
	}{
		{"at the cursor", inBrew, "tea/brew.go", around},
		{"in German", with(inBrew, args{"prompt": "Was macht diese Funktion?"}), "tea/brew.go", around},
		{"the selection", with(inBrew, args{"selection": at([2]int{4, 0}, [2]int{5, 5})}), "tea/brew.go", map[string]string{
			"tea/brew.go": "the selection", "tea/heat.go": "called in the selection", "tea/steep.go": "called by brew", "tea/serve.go": "calls brew"}},
		{"a selection alone", args{"textDocument": args{"uri": uri("tea/brew.go")}, "selection": at([2]int{4, 0}, [2]int{5, 5})}, "tea/brew.go", map[string]string{
			"tea/brew.go": "the selection", "tea/heat.go": "called in the selection", "tea/steep.go": "called by brew", "tea/serve.go": "calls brew"}},
		{"a selected name", with(inBrew, args{"selection": at([2]int{4, 11}, [2]int{4, 15})}), "tea/heat.go", map[string]string{
			"tea/heat.go": "defines heat, which is at the cursor", "tea/brew.go": "the function at the cursor", "tea/steep.go": "called by brew", "tea/serve.go": "calls brew"}},
		{"an empty selection", with(inBrew, args{"selection": at([2]int{5, 2}, [2]int{5, 2})}), "tea/brew.go", around},
		{"on a call", spotOf(root, "tea/serve.go", 4, 10), "tea/brew.go", map[string]string{
			"tea/brew.go": "defines brew, which is at the cursor", "tea/serve.go": "the function at the cursor", "tea/heat.go": "called by brew", "tea/steep.go": "called by brew"}},
		{"behind a name", spotOf(root, "tea/serve.go", 4, 12), "tea/brew.go", map[string]string{
			"tea/brew.go": "defines brew, which is at the cursor", "tea/serve.go": "the function at the cursor", "tea/heat.go": "called by brew", "tea/steep.go": "called by brew"}},
		{"behind the end", spotOf(root, "tea/brew.go", 2147483647, 2147483647), "tea/brew.go", around},
		{"behind the end of a line", spotOf(root, "tea/brew.go", 5, 9999), "tea/brew.go", around},
		{"on a blank line", spotOf(root, "tea/brew.go", 1, 0), "tea/brew.go", around},
		{"documents in view", args{"visibleDocuments": []string{uri("till/pay.go"), uri("tea/heat.go")}}, "till/pay.go", map[string]string{
			"till/pay.go": "a document in view", "tea/heat.go": "a document in view"}},
		{"a document without a cursor", args{"textDocument": args{"uri": uri("tea/heat.go")}}, "tea/heat.go", map[string]string{"tea/heat.go": "the open document"}},
		{"excluded", with(inBrew, args{"exclude": []string{"tea/heat.go"}}), "tea/brew.go", map[string]string{
			"tea/brew.go": "the function at the cursor", "tea/steep.go": "called by brew", "tea/serve.go": "calls brew"}},
	} {
		b := bundleOf(t, e, with(tt.args, nil))
		reasons, order := why(root, b)
		if len(order) == 0 || order[0] != tt.first {
			t.Errorf("%s: %q come in this order, want %s first", tt.name, order, tt.first)
		}
		for path, reason := range tt.want {
			if !strings.HasPrefix(reasons[path], reason) {
				t.Errorf("%s: %s is there because %q, want %q", tt.name, path, reasons[path], reason)
			}
		}
		if len(reasons) != len(tt.want) {
			t.Errorf("%s: %v", tt.name, reasons)
		}
		checkBundle(t, b, with(tt.args, nil)["prompt"].(string))
	}
}

// TestBundleAtLocationOutsideWorkspace checks that a location outside the workspace adds nothing to
// a bundle.
func TestBundleAtLocationOutsideWorkspace(t *testing.T) {
	root, other := servertest.Tree(t, stall()), servertest.Tree(t, map[string]string{"a.go": source("outsideWord")})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	e.Open(servertest.URI(filepath.Join(root, "hidden/own.go")), stall()["hidden/own.go"])
	e.Open(servertest.URI(filepath.Join(other, "a.go")), source("outsideWord"))
	e.Open("git:"+filepath.Join(root, "tea/brew.go"), stall()["tea/brew.go"])
	plain := bundleOf(t, e, with(nil, nil))
	for _, uri := range []string{
		servertest.URI(filepath.Join(root, "hidden/own.go")), servertest.URI(filepath.Join(other, "a.go")), servertest.URI(root) + "/../" + filepath.Base(other) + "/a.go",
		"git:" + filepath.Join(root, "tea/brew.go"), "untitled:never-opened", servertest.URI(filepath.Join(root, "no/such.go")), servertest.URI(root),
	} {
		for _, a := range []args{
			{"textDocument": args{"uri": uri}, "position": args{"line": 3, "character": 9}},
			{"textDocument": args{"uri": uri}, "selection": args{"start": args{"line": 3, "character": 8}, "end": args{"line": 3, "character": 13}}},
			{"textDocument": args{"uri": uri}}, {"visibleDocuments": []string{uri}},
		} {
			b := bundleOf(t, e, with(a, nil))
			if b.Text != plain.Text {
				t.Errorf("%v: the bundle is\n%s\nand without a place\n%s", a, b.Text, plain.Text)
			}
		}
	}
}

// TestBundleAtOtherRoot checks that a location in another root than the requested one is ignored.
func TestBundleAtOtherRoot(t *testing.T) {
	one, two := servertest.Tree(t, stall()), servertest.Tree(t, map[string]string{"a.go": source("otherRoot")})
	e := servertest.Start(t, servertest.Options{Roots: []string{one, two}})
	e.AwaitIdle()
	for root, path := range map[string]string{one: "tea/brew.go", two: "a.go"} {
		for asked, want := range map[string]bool{one: root == one, two: root == two} {
			b := bundleOf(t, e, with(spotOf(root, path, 4, 0), args{"workspace": servertest.URI(asked)}))
			if got := strings.Contains(b.Text, "path=\""+path+"\""); got != want {
				t.Errorf("%s of %s asked of %s: there %v\n%s", path, root, asked, got, b.Text)
			}
		}
	}
}

// TestBundleAtBuffer checks that the location refers to the editor's text, in its position
// encoding.
func TestBundleAtBuffer(t *testing.T) {
	root := servertest.Tree(t, stall())
	const wide = "/* 𝄞𝄞𝄞é */ "
	changed := "package tea\n\nvar kettles = 2\n\nfunc boil() {}\n\n// brew makes a pot.\nfunc brew(leaves int) error {\n\t" + wide + "boil(); stir()\n\treturn nil\n}\n"
	for _, encoding := range []string{"utf-8", "utf-16"} {
		e := servertest.Start(t, servertest.Options{Roots: []string{root}, Capabilities: map[string]any{"general": map[string]any{"positionEncodings": []string{encoding}}}})
		e.AwaitIdle()
		character := 1 + len(wide) + len("boil(); ")
		if encoding == "utf-16" {
			character = 1 + len(utf16.Encode([]rune(wide))) + len("boil(); ")
		}
		e.Open(servertest.URI(filepath.Join(root, "tea/brew.go")), changed)
		e.Open(servertest.URI(filepath.Join(root, "tea/stir.go")), "package tea\n\n// stir is not on disk.\nfunc stir() {\n\tboil()\n}\n")
		b := bundleOf(t, e, with(spotOf(root, "tea/brew.go", 8, character), nil))
		reasons, order := why(root, b)
		if len(order) == 0 || order[0] != "tea/stir.go" || !strings.HasPrefix(reasons["tea/stir.go"], "defines stir") || !strings.Contains(b.Text, wide) || strings.Contains(b.Text, "heat(100)") {
			t.Errorf("%s: %q, %v", encoding, order, reasons)
		}
		other := servertest.Start(t, servertest.Options{Roots: []string{root}})
		other.AwaitIdle()
		if b := bundleOf(t, other, with(spotOf(root, "tea/brew.go", 5, 0), nil)); strings.Contains(b.Text, "stir") || !strings.Contains(b.Text, "heat(100)") {
			t.Errorf("another session sees the buffer:\n%s", b.Text)
		}
	}
	// Locations in buffers without a file and without a root work too.
	e := servertest.Start(t, servertest.Options{})
	e.Open("untitled:draft", "def brew():\n    heat(100)\n\n\ndef heat(degrees):\n    return degrees\n")
	b := bundleOf(t, e, with(args{"textDocument": args{"uri": "untitled:draft"}, "position": args{"line": 1, "character": 0}}, nil))
	if !strings.Contains(b.Text, "heat(100)") || len(b.Items) < 2 {
		t.Errorf("the buffer is not there:\n%s", b.Text)
	}
}
