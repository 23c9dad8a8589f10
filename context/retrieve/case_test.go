package retrieve

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/indexer"
)

// cased is a workspace with names in several styles, and words that happen to be parts of names.
var cased = map[string]string{
	"client.ts":  "export class PaymentClient {\n  sendPayment(o: Order) { return post(o) }\n}\n",
	"use.ts":     "import { PaymentClient } from './client'\n\nexport const shop = new PaymentClient()\nshop.sendPayment(order)\n",
	"policy.py":  "class RetryPolicy:\n    def parseHTTPResponse(self, raw):\n        return raw\n\n\nMAX_RETRY_POLICIES = 3\n",
	"remote.go":  "package remote\n\nfunc dispatchmessages(x int) int { return x }\n",
	"file.go":    "package file\n\n// Open opens what has a filename.\nfunc Open(filename string) {}\n",
	"rename.ts":  "export function renameAll(fileName: string) { return fileName }\n",
	"payment.md": "# Payment\n\nA client of the bank sends a payment and gets a response.\n",
	"h1.go":      "package lib\n\nfunc Helper1(x int) int { return x }\n",
	"h2.go":      "package lib\n\nfunc Helper2(x int) int { return x }\n",
}

// TestNameInAnotherCase checks that a name is found however its case and separators are typed, with
// the file that defines it first.
func TestNameInAnotherCase(t *testing.T) {
	s := index(t, cased)
	for query, want := range map[string]string{
		"paymentclient": "client.ts", "PAYMENTCLIENT": "client.ts", "PaymentClient": "client.ts", "payment_client": "client.ts",
		"sendpayment": "client.ts", "SendPayment": "client.ts", "retrypolicy": "policy.py", "RETRY_POLICY": "policy.py",
		"parsehttpresponse": "policy.py", "parse_http_response": "policy.py", "maxretrypolicies": "policy.py",
		"dispatchMessages": "remote.go", "dispatch_messages": "remote.go", "DISPATCH_MESSAGES": "remote.go",
		"paymentclient sendpayment": "client.ts", "where is paymentclient defined?": "client.ts",
	} {
		for _, mode := range []Mode{Hybrid, Lexical} {
			got := Run(t.Context(), s, Request{Query: query, Intent: intent.Classify(query, intent.Context{}), Mode: mode, Limit: 10, Deadline: time.Minute, Literal: true, Builtin: true}, time.Now)
			if len(got.Candidates) == 0 || s.Chunk(got.Candidates[0].Chunk).Path != want {
				t.Errorf("%s %q finds %v, want %s first", mode, query, pathsOf(s, got), want)
			}
		}
	}
	if got := Run(t.Context(), s, Request{Query: "filename", Mode: Lexical, Limit: 10, Deadline: time.Minute, Literal: true}, time.Now); len(got.Candidates) != 2 || s.Chunk(got.Candidates[0].Chunk).Path != "file.go" {
		t.Errorf("filename finds %v, want the word first, then the name", pathsOf(s, got))
	}
}

// TestSymbolInAnotherCase checks that a lookup shows what the workspace defines with another case
// or other separators, unless it has the name as it was typed.
func TestSymbolInAnotherCase(t *testing.T) {
	s := index(t, cased)
	for name, want := range map[string]string{
		"paymentclient": "PaymentClient client.ts", "PAYMENT_CLIENT": "PaymentClient client.ts", "payment-client": "PaymentClient client.ts",
		"paymentclient.sendpayment": "sendPayment client.ts", "max_retry_policies": "MAX_RETRY_POLICIES policy.py",
		"parsehttpresponse": "parseHTTPResponse policy.py", "dispatchMessages": "dispatchmessages remote.go", "open": "Open file.go",
		"post": "post ", "paymentclients": "paymentclients ",
	} {
		a := LookUp(t.Context(), s, SymbolQuery{Name: name, Limit: 10})
		got := a.Name + " "
		for _, d := range a.Definitions {
			got += d.Path
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
		if strings.HasPrefix(want, "PaymentClient") && len(a.Occurrences) == 0 {
			t.Errorf("%s has no occurrences", name)
		}
	}
}

// pathsOf returns the paths of the candidates in order.
func pathsOf(s *indexer.Snapshot, r Result) (out []string) {
	for _, c := range r.Candidates {
		out = append(out, s.Chunk(c.Chunk).Path)
	}
	return out
}

// TestDefinitionComesFirst checks that a search for a name puts what defines exactly that name
// first, however often other places have its words.
func TestDefinitionComesFirst(t *testing.T) {
	files := map[string]string{
		"lib/plain.go":  "package lib\n\nvar registry int\n\nfunc Keep(x int) int { return x }\n",
		"lib/a_test.go": "package lib\n\nfunc keepBatch() {}\n\ntype Batch struct{}\n",
		"lib/batch.go":  "package lib\n\n// batch is one of several.\ntype fields struct{ Batch int }\n",
		"z/last.go":     "package z\n\nimport \"fmt\"\n\n" + strings.Repeat("// nothing of interest is here\n", 30) + "type Batch struct{ n int }\n",
	}
	for i := range 8 {
		files[fmt.Sprintf("batch/batch%d.go", i)] = "package batch\n\n// Batch of the batch: a batch keeps a batch.\nfunc batchOf(batch int) int { return batch + batches.Batch(batch) }\n"
	}
	s := index(t, files)
	for query, want := range map[string]string{"Batch": "z/last.go", "Keep": "lib/plain.go", "registry": "lib/plain.go"} {
		got := Run(t.Context(), s, Request{Query: query, Intent: intent.Classify(query, intent.Context{}), Limit: 10, Deadline: time.Minute, Literal: true, Builtin: true}, time.Now)
		if len(got.Candidates) == 0 || s.Chunk(got.Candidates[0].Chunk).Path != want {
			t.Errorf("%q finds %v, want %s first", query, pathsOf(s, got), want)
		}
	}
}
