package secrets

import (
	"strings"
	"testing"
)

// scanner is one without an allow list.
func scanner(t testing.TB, allow ...string) *Scanner {
	t.Helper()
	s, err := New(allow)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTextWithoutSecretsIsReturnedAsItIs(t *testing.T) {
	text := "func main() {\n\tkey := readKey(os.Getenv(\"API_TOKEN\"))\n}\n"
	clean, found := scanner(t).Redact(text)
	if clean != text || found != nil {
		t.Errorf("got %q, %v", clean, found)
	}
}

func TestLinesKeepTheirNumbers(t *testing.T) {
	key := "-----BEGIN EC PRIVATE " + "KEY-----\n" + strings.Repeat("MHcCAQEEIIGlVmEdX2mG7hJ5Wq0pT9sLkZxYb3Rd\n", 3) + "-----END EC PRIVATE " + "KEY-----"
	clean, found := scanner(t).Redact("before\n" + key + "\nafter\n")
	if want := "before\n[REDACTED:private-key]\n\n\n\n\nafter\n"; clean != want {
		t.Errorf("got %q, want %q (%v)", clean, want, found)
	}
}

func TestAllowList(t *testing.T) {
	secret := "gh" + "p_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7J"
	text := "token: " + secret + "\n"
	for _, test := range []struct {
		allow []string
		kept  bool
	}{
		{nil, false},
		{[]string{"^gh" + "p_"}, true},
		{[]string{"rule:no-such-rule"}, false},
		{[]string{"rule:github-pat", "rule:generic-api-key", "rule:assigned-secret"}, true},
	} {
		clean, _ := scanner(t, test.allow...).Redact(text)
		if strings.Contains(clean, secret) != test.kept {
			t.Errorf("allow %q gives %q", test.allow, clean)
		}
	}
	if _, err := New([]string{"("}); err == nil {
		t.Error("an expression that does not compile is taken")
	}
	if scanner(t).ID() == scanner(t, "x").ID() || scanner(t).ID() != scanner(t).ID() {
		t.Error("the ID does not tell allow lists apart")
	}
}
