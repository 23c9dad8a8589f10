package session

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/contexture-dev/contexture/server/transport"
)

// TestDocumentsOfNotifications checks that notifications make new documents and leave those before
// as they were, and that a bad one changes nothing.
func TestDocumentsOfNotifications(t *testing.T) {
	const uri = "file:///r/a.go"
	text := func(d *Documents) string {
		if d := d.get(transport.DocumentKey(uri)); d != nil {
			return d.text
		}
		return "none"
	}
	message := func(rest string) json.RawMessage {
		return json.RawMessage(`{"textDocument":{"uri":"` + uri + `"` + rest + `}`)
	}
	var none *Documents
	open, err := none.didOpen(message(`,"text":"one"}`))
	if err != nil || text(open) != "one" || text(none) != "none" {
		t.Fatalf("opened: %q, before %q: %v", text(open), text(none), err)
	}
	changed, err := open.didChange(message(`},"contentChanges":[{"text":"two"}]`), transport.UTF16)
	if err != nil || text(changed) != "two" || text(open) != "one" {
		t.Errorf("changed: %q, before %q: %v", text(changed), text(open), err)
	}
	closed, err := changed.didClose(message(`}`))
	if err != nil || text(closed) != "none" || text(changed) != "two" {
		t.Errorf("closed: %q, before %q: %v", text(closed), text(changed), err)
	}
	if again, err := closed.didClose(message(`}`)); again != closed || err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if same, err := closed.didChange(message(`},"contentChanges":[]`), transport.UTF16); same != closed || err == nil {
		t.Errorf("a change of a closed document: %v", err)
	}
	for name, bad := range map[string]func(json.RawMessage) (*Documents, error){"open": changed.didOpen, "close": changed.didClose} {
		if same, err := bad(nil); same != changed || err == nil {
			t.Errorf("%s without parameters: %v", name, err)
		}
	}
}

// TestExportFollowsItsAddress checks that one address is served at a time, that it is released when
// another takes its place, and that one that failed is not tried again.
func TestExportFollowsItsAddress(t *testing.T) {
	busy := errors.New("in use")
	open, tries := map[string]bool{}, 0
	serve := func(address string) (func(), error) {
		tries++
		if address == "busy" {
			return nil, busy
		}
		open[address] = true
		return func() { delete(open, address) }, nil
	}
	var m metricsExport
	for _, step := range []struct {
		address string
		err     error
		tries   int
		serving bool
	}{{"", nil, 0, false}, {"a", nil, 1, true}, {"a", nil, 1, true}, {"b", nil, 2, true}, {"busy", busy, 3, false}, {"busy", nil, 3, false}, {"a", nil, 4, true}, {"", nil, 4, false}} {
		err := m.listen(step.address, serve)
		if !errors.Is(err, step.err) || tries != step.tries || open[step.address] != step.serving || len(open) > 1 {
			t.Errorf("%q: %d tries, open %v: %v", step.address, tries, open, err)
		}
	}
	if err := m.listen("a", serve); err != nil {
		t.Fatal(err)
	}
	m.end()
	m.end()
	if len(open) > 0 {
		t.Errorf("still open: %v", open)
	}
}
