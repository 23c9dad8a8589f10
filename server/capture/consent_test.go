package capture

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func TestConsentIsOffUntilGiven(t *testing.T) {
	dir := t.TempDir()
	got, err := Consent(dir)
	if err != nil || len(got) != 0 {
		t.Fatalf("consent of a new state directory: %v, %v", got, err)
	}
	if err := SetConsent(dir, Codex, true); err != nil {
		t.Fatal(err)
	}
	if err := SetConsent(dir, Cursor, false); err != nil {
		t.Fatal(err)
	}
	got, err = Consent(dir)
	off, asked := got[Cursor]
	if err != nil || len(got) != 2 || !got[Codex] || off || !asked {
		t.Fatalf("consent = %v, %v", got, err)
	}
	info, err := os.Stat(consentPath(dir, Codex))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode of the file: %v, %v", info, err)
	}
	if left, err := os.ReadDir(filepath.Dir(consentPath(dir, Codex))); err != nil || len(left) != 2 {
		t.Fatalf("files left: %v, %v", left, err)
	}
}

func TestConsentRefusesAnUnknownSource(t *testing.T) {
	var unknown *SourceError
	if err := SetConsent(t.TempDir(), "clippy", true); !errors.As(err, &unknown) || !strings.Contains(err.Error(), `"clippy"`) {
		t.Fatal(err)
	}
}

func TestDamagedConsentIsOffAndNamed(t *testing.T) {
	dir := t.TempDir()
	if err := SetConsent(dir, Codex, true); err != nil {
		t.Fatal(err)
	}
	path := consentPath(dir, Gemini)
	if err := os.WriteFile(path, []byte("maybe"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Consent(dir)
	if !got[Codex] || got[Gemini] || err == nil || !strings.Contains(err.Error(), path) {
		t.Fatalf("consent = %v, %v", got, err)
	}
}

func TestConsentOfConcurrentProcesses(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for _, source := range Sources() {
		all.Go(func() {
			if err := SetConsent(dir, source, true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := Consent(dir)
	if err != nil || len(got) != len(Sources()) {
		t.Fatalf("consent = %v, %v", got, err)
	}
}

func TestConversationID(t *testing.T) {
	if got := ConversationID(ClaudeCode, "8f1c"); got != "claude-code/8f1c" {
		t.Fatal(got)
	}
	seen := map[string]string{}
	for _, session := range []string{"", "a", "a\nb", "a\x00b", "a\ufffdb", strings.Repeat("x", 300), strings.Repeat("x", 301), "é"} {
		id := ConversationID(Aider, session)
		if n := utf8.RuneCountInString(id); n > maxIDRunes || !printable(id) || id != ConversationID(Aider, session) {
			t.Errorf("id of %q: %q", session, id)
		}
		if other, twice := seen[id]; twice {
			t.Errorf("%q and %q share an id", session, other)
		}
		seen[id] = session
	}
}
