package server_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

const reconcilerDocument = `# Billing

Invoices are sent monthly.

## The reconciler

The reconciler runs from cron/nightly and needs the bank's file; without it nothing is booked.

Lunch is at noon.
`

const reconcilerCode = `// Reconciler compares payments with invoices.
type Reconciler struct {
	Days int
}`

// reconcilerTalks and abgleichTalks are conversations about one topic each.
var reconcilerTalks, abgleichTalks = [][]args{
	{
		user("The reconciler lives in `billing/reconcile.go` and runs every night at two."),
		assistant("The reconciler joins `payments` and `invoices` on the external reference and writes what is left to `unmatched_payments`."),
		user("The reconciler crashed last night with `ErrDuplicateReference` on the Danish bank's file."),
		assistant("The Danish bank sends the reference twice when a transfer is split, so the reconciler saw two rows with one `external_ref`."),
	}, {
		user("Does the reconciler sum split transfers yet? The reconciler must not compare parts of a transfer with an invoice."),
		assistant("`mergeSplits` in `billing/split.go` sums them before the reconciler compares the amounts with the invoice."),
		user("The reconciler now logs each payment that it moves to `archive/unmatched`."),
		assistant("The reconciler keeps them for `retentionDays` days, which `billing/reconcile.go` sets to 90."),
	},
}, [][]args{
	{
		user("Der Lagerabgleich liest die Bestände aus `lager/bestand.csv` und schreibt sie nach `lager_ist`."),
		assistant("Der Lagerabgleich vergleicht `lager_ist` mit `lager_soll` und meldet jede Abweichung über fünf Stück."),
		user("Der Lagerabgleich darf niemals `lager_soll` ändern, das macht nur der Einkauf in `einkauf/plan.go`."),
		assistant("Der Lagerabgleich öffnet `lager_soll` jetzt nur noch lesend über `openReadOnly`."),
	}, {
		user("Wir haben entschieden, dass der Lagerabgleich ab jetzt stündlich läuft, eingestellt in `cron/abgleich.yaml`."),
		assistant("In `cron/abgleich.yaml` steht der Lagerabgleich nun auf jeder vollen Stunde, mit einer Sperre in `lager_lock`."),
		user("Der Lagerabgleich schreibt seine Meldungen nach `logs/abgleich.log`, getrennt nach Lager und Tag."),
		assistant("Das Protokoll in `logs/abgleich.log` nennt nun zu jeder Abweichung auch den Artikel."),
	},
}

// TestReferenceFromTalkAndDocuments checks that what two conversations and a document say about a
// topic becomes a reference that recall finds, in two languages, that the list shows it with every
// source, and that it stays removed once removed.
func TestReferenceFromTalkAndDocuments(t *testing.T) {
	root := servertest.Tree(t, map[string]string{
		"docs/billing.md": reconcilerDocument, "a.go": "package a\n", "billing/reconcile.go": "package billing\n\n" + reconcilerCode + "\n",
		".notes/log.md": "# The reconciler\n\nThe reconciler of the notes.\n",
	})
	e := servertest.Start(t, servertest.Options{Roots: []string{filepath.Clean(root)}})
	e.AwaitIdle()
	said := reconcilerDocument + reconcilerCode
	for i, talk := range slices.Concat(reconcilerTalks, abgleichTalks) {
		for j, m := range talk {
			m["id"], m["at"] = fmt.Sprintf("m%d-%d", i, j), fmt.Sprintf("2026-03-%02dT10:%02d:00Z", i+1, j)
			said += "\n" + m["content"].(string)
		}
		say(t, e, fmt.Sprint("c", i), talk...)
	}
	e.Eventually("a run finds the index up to date", func() bool {
		ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{})
		return slices.ContainsFunc(listed(t, e), func(it command.KnowledgeItem) bool {
			return slices.ContainsFunc(it.Quotations, func(q command.Quotation) bool { return q.Path == "docs/billing.md" && q.Line == 5 })
		})
	})
	items := listed(t, e)
	if len(items) != 2 {
		t.Fatalf("references %+v", items)
	}
	if !slices.ContainsFunc(items, func(it command.KnowledgeItem) bool {
		return slices.ContainsFunc(it.Quotations, func(q command.Quotation) bool {
			return q.Path == "billing/reconcile.go" && q.Line == 3 && q.Text == reconcilerCode
		})
	}) {
		t.Errorf("no reference quotes the definition: %+v", items)
	}
	for _, it := range items {
		if it.State != "candidate" {
			t.Errorf("%s is %s", it.Title, it.State)
		}
		for _, q := range it.Quotations {
			if !strings.Contains(said, q.Text) || (q.Path == "") == (q.MessageID == "") {
				t.Errorf("%s quotes %+v", it.Title, q)
			}
		}
	}
	for query, want := range map[string]string{
		"what does the reconciler do with split transfers?": `sums them before the reconciler compares`,
		"when does the reconciler run?":                     "docs/billing.md:7: The reconciler runs from cron/nightly",
		"Wie oft läuft der Lagerabgleich?":                  "dass der Lagerabgleich ab jetzt stündlich läuft",
	} {
		got := ask[command.RecallResult](t, e, "contexture.recall", args{"query": query, "memoryType": "reference", "budget": 2000})
		if len(got.Items) == 0 || got.Items[0].Kind != "reference" || !strings.Contains(got.Text, want) {
			t.Errorf("%q recalls %s", query, got.Text)
		}
	}
	if b := bundleOf(t, e, args{"prompt": "why does the reconciler compare split transfers with an invoice?", "budget": 8000}); !strings.Contains(b.Text, "<ctx-reference") {
		t.Errorf("not shown where it is about the prompt:\n%s", b.Text)
	}
	if b := bundleOf(t, e, args{"prompt": "rename the helper in a.go", "budget": 8000}); strings.Contains(b.Text, "ctx-reference") {
		t.Errorf("shown unasked:\n%s", b.Text)
	}
	for _, g := range ask[command.RecommendationsResult](t, e, "contexture.knowledge.recommendations", args{}).Recommendations {
		if g.Topic == "reconciler" || g.Topic == "lagerabgleich" {
			t.Errorf("a gap: %+v", g)
		}
	}
	for _, it := range items {
		ask[command.Deleted](t, e, "contexture.knowledge.delete", args{"id": it.ID})
	}
	ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{"full": true})
	for _, it := range listed(t, e) {
		if slices.ContainsFunc(items, func(o command.KnowledgeItem) bool { return o.ID == it.ID }) {
			t.Errorf("%s came back", it.Title)
		}
	}
}

// listed returns the references.
func listed(t *testing.T, e *servertest.Editor) []command.KnowledgeItem {
	t.Helper()
	return ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "reference"}).Items
}
