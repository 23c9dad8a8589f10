package source

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// saved is a notebook as Jupyter saves it.
const saved = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Train \"it\"\n",
    "\n",
    "Stops early."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "data": {
      "image/png": "iVBORw0KGgo",
      "text/plain": ["<Figure>"]
     }
    }
   ],
   "source": [
    "%matplotlib inline\n",
    "def train(n):\n",
    "    return \"\u00e4\\n\" % n"
   ]
  },
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "%%bash\nls\n"},
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": []}
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
  "language_info": {"codemirror_mode": {"name": "ipython", "version": 3}, "name": "python"}
 },
 "nbformat": 4
}
`

func TestNotebook(t *testing.T) {
	got := string(Extract("a.ipynb", []byte(saved)))
	if strings.Count(got, "\n") != strings.Count(saved, "\n") {
		t.Errorf("%d lines became %d", strings.Count(saved, "\n"), strings.Count(got, "\n"))
	}
	lines, from := strings.Split(got, "\n"), strings.Split(saved, "\n")
	for n, want := range map[int]string{
		1: "# notebook: python", 6: "# %% [markdown]", 7: "# # Train \"it\"", 8: "#", 9: "# Stops early.",
		24: "# %%", 25: "# %matplotlib inline", 26: "def train(n):", 27: "    return \"ä\\n\" % n", 30: "# %%", 31: "# %%bash", 32: "# ls",
	} {
		if lines[n-1] != want {
			t.Errorf("line %d is %q, want %q, of %q", n, lines[n-1], want, from[n-1])
		}
		lines[n-1] = ""
	}
	if rest := strings.TrimSpace(strings.Join(lines, "")); rest != "" {
		t.Errorf("besides the cells there is %q", rest)
	}

	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(saved)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"compact", compact.String(), "# notebook: python\n# %% [markdown]\n# # Train \"it\"\n#\n# Stops early.\n# %%\n# %matplotlib inline\ndef train(n):\n    return \"ä\\n\" % n\n# %%\n# %%bash\n# ls\n"},
		{"torn", "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"a()\\n\", \"b()\"", "# notebook: python\n# %%\na()\nb()\n"},
		{"version 3", `{"worksheets": [{"cells": [{"cell_type": "code", "input": ["f()"], "language": "python", "outputs": []}]}], "nbformat": 3}`, "# notebook: python\n# %%\nf()\n"},
		{"typescript", `{"metadata": {"kernelspec": {"name": "deno", "language": "typescript"}}, "cells": [{"cell_type": "raw", "source": "x"}]}`, "// notebook: typescript\n// %% [raw]\n// x\n"},
		{"a kernel's name", `{"cells": [{"cell_type": "code", "source": "%x\r\ny"}], "metadata": {"kernelspec": {"name": "julia-1.9"}, "language_info": null}}`, "# notebook: julia\n# %%\n%x\ny\n"},
		{"no notebook", `{"a": 1}`, `{"a": 1}`},
		{"no JSON", "cells", "cells"},
		{"strange", `{"cells": {"a": [1]}, "metadata": [], "x": 1}`, `{"cells": {"a": [1]}, "metadata": [], "x": 1}`},
	} {
		if got := string(Extract("A.IPYNB", []byte(c.text))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestContainers checks that a file's size and lines are judged without its pictures.
func TestContainers(t *testing.T) {
	picture := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAA", 100)
	wrapped := strings.Repeat(strings.Repeat("QUJD", 19)+"\n  ", 5)
	files := map[string]string{
		"a.ipynb": strings.Replace(saved, "iVBORw0KGgo", picture, 1), "a.md": "# Plot\n\n![](data:image/png;base64," + picture + ")\nEnd.\n",
		"a.svg": "<svg><image href=\"data:image/png;base64,\n" + wrapped + "\"/>\n</svg>\n", "a.css": "a { b: url(data:font/woff2;charset=utf-8;base64," + picture + ") }\n",
		"a.js":  "run()\n//# sourceMappingURL=data:application/json;charset=utf-8;base64," + picture + "==\n",
		"b.css": "a { b: url('data:image/svg+xml,%3Csvg%20" + strings.Repeat("%20", 800) + "') }\n", "big.md": strings.Repeat("word ", 500),
		"c.js": "const data = {metadata: 1, a: 'data:x', b: 'data:text/plain,short'}\n",
	}
	dir := t.TempDir()
	write(t, dir, files)
	tree := open(t, Options{Root: dir, MaxFileBytes: 2000})
	for name, want := range map[string]string{
		"a.md": "# Plot\n\n![](data:image/png;base64,…)\nEnd.\n", "a.css": "", "a.js": "", "b.css": "", "c.js": files["c.js"],
		"a.svg": "<svg><image href=\"data:image/png;base64,…" + strings.Repeat("\n", 6) + "  \"/>\n</svg>\n",
	} {
		text, _, reason, err := tree.Read(name)
		if err != nil || want != "" && (string(text) != want || reason != Indexed) {
			t.Errorf("%s: %q %v %q, want %q", name, reason, err, text, want)
		}
		if text = Extract(name, []byte(files[name])); bytes.Count(text, []byte("\n")) != strings.Count(files[name], "\n") || len(text) > 200 {
			t.Errorf("%s: %q", name, text)
		}
	}
	walked, _ := walkAll(t, tree)
	text, entry, reason, _ := tree.Read("a.ipynb")
	if reason != Indexed || len(text) > 1000 || int(entry.Size) != len(files["a.ipynb"]) || !strings.Contains(strings.Join(walked, " "), "a.ipynb") {
		t.Errorf("the notebook: %q, %d bytes of %d", reason, len(text), entry.Size)
	}
	if d := tree.Decide("big.md"); d.Reason != TooLarge {
		t.Errorf("a long text: %+v", d)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("a.ipynb", []byte(saved))
	f.Add("a.md", []byte("![](data:image/png;base64,"+strings.Repeat("QUJD", 50)+")\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		before := bytes.Count(text, []byte("\n"))
		if after := bytes.Count(Extract(name, text), []byte("\n")); after < before {
			t.Errorf("%d lines became %d", before, after)
		}
	})
}
