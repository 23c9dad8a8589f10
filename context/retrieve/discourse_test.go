package retrieve

import (
	"fmt"
	"slices"
	"testing"
)

// exporters is a workspace with similar names.
func exporters() map[string]string {
	files := map[string]string{
		"export/limits.go": "package export\n\n// maxRows bounds a table.\nconst maxRows = 5000\n",
		"app/serve.go":     "package app\n\nimport \"export\"\n\n// serve answers a download.\nfunc serve(rows []string) string {\n\treturn export.WriteCSV(rows)\n}\n",
	}
	for kind, body := range map[string]string{"CSV": "joined with commas", "Parquet": "packed by column", "HTML": "put into cells"} {
		files["export/"+kind+"_writer.go"] = fmt.Sprintf("package export\n\n// Write%s gives the rows, %s.\nfunc Write%s(rows []string) string {\n\treturn shorten(rows)\n}\n", kind, body, kind)
	}
	for i := range 30 {
		files[fmt.Sprintf("other/part%d.go", i)] = fmt.Sprintf("package other\n\n// step%d is one of many steps of something else.\nfunc step%d(input string) string {\n\treturn input\n}\n", i, i)
	}
	files["export/shorten.go"] = "package export\n\n// shorten leaves out what is over the limit.\nfunc shorten(rows []string) string {\n\tif len(rows) > maxRows {\n\t\treturn \"\"\n\t}\n\treturn \"rows\"\n}\n"
	return files
}

// TestFollowUpFindsRelatedCode checks that a short follow-up finds what calls the thing that was
// named, what has nearly the same name, and what it uses.
func TestFollowUpFindsRelatedCode(t *testing.T) {
	s := index(t, exporters())
	talk := func(r *Request) {
		r.Recent = []Recent{{Symbol: "WriteCSV"}}
		r.Said = []string{"how do downloads become csv?\n`WriteCSV` joins the rows with commas."}
	}
	for prompt, want := range map[string]string{
		"and who calls that?":           "app/serve.go",
		"same for parquet?":             "export/Parquet_writer.go",
		"et pour html ?":                "export/HTML_writer.go",
		"which function shortens them?": "export/shorten.go",
		"show me the body":              "export/CSV_writer.go",
	} {
		var got []string
		for _, c := range ask(s, prompt, talk).Candidates {
			if p := s.Chunk(c.Chunk).Path; len(got) < 3 {
				got = append(got, p)
			}
		}
		if !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %s among them", prompt, got, want)
		}
	}
}

// TestSmallTalkFindsNothing checks that small talk after a conversation about code is not about
// that code.
func TestSmallTalkFindsNothing(t *testing.T) {
	s := index(t, exporters())
	for _, prompt := range []string{"ok bye, talk tomorrow", "thanks, that's all for today!", "how many calories does a banana have?", "great, perfect",
		"write a cover letter for a job as a nurse", "what is the difference between a mutex and a semaphore?",
		"schreib mir eine Einladung zur Hochzeit meiner Schwester", "écris un poème sur l'automne"} {
		res := ask(s, prompt, func(r *Request) {
			r.Recent = []Recent{{Symbol: "WriteCSV"}, {Path: "export/shorten.go"}}
			r.Said = []string{"how do downloads become csv?\n`WriteCSV` joins the rows with commas."}
		})
		if !res.Elsewhere {
			t.Errorf("%q brings %q", prompt, places(s, res))
		}
	}
}

// TestMentionedFileDisambiguates checks that of the many definitions of a name the one is meant
// whose file was mentioned.
func TestMentionedFileDisambiguates(t *testing.T) {
	files := exporters()
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
		files["close/"+name+".go"] = fmt.Sprintf("package closing\n\n// finish ends the %s stream.\ntype %s struct{}\n\nfunc (x *%s) finish() {}\n", name, name, name)
	}
	s := index(t, files)
	res := ask(s, "show me the body", func(r *Request) {
		r.Recent = []Recent{{Symbol: "finish"}}
		r.Said = []string{"what ends the gamma stream?\n`finish` of gamma does."}
	})
	if got := s.Chunk(res.Candidates[0].Chunk).Path; got != "close/gamma.go" {
		t.Errorf("first is %s", got)
	}
}
