package secrets

import (
	"strings"
	"testing"
)

// scanner returns a scanner without an allow list.
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
	if one, other := scanner(t), scanner(t); one.ID() != other.ID() || one.ID() == scanner(t, "x").ID() {
		t.Error("the ID does not tell allow lists apart")
	}
}

// plain holds texts that look like secrets but are not.
var plain = []string{
	"password = os.Getenv(\"DB_PASSWORD\")\n",
	"password: ${DB_PASSWORD}\n",
	"password: ${{ secrets.DB_PASSWORD }}\n",
	"DB_PASSWORD=$DB_PASSWORD\n",
	"DB_PASSWORD=$(cat /run/secrets/db)\n",
	"password = \"changeme\"\n",
	"password: <password>\n",
	"api_key: YOUR_API_KEY\n",
	"api_key = \"your-api-key-here\"\n",
	"token = 'xxxxxxxxxxxxxxxxxxxx'\n",
	"token: \"********\"\n",
	"const passwordField = \"password\"\n",
	"const tokenKind = \"identifier\"\n",
	"password: 'Enter your password (8 to 64 characters)'\n",
	"secret := newSecret(ctx, \"name-1\", 42)\n",
	"key := sha256.Sum256([]byte(text))\n",
	"token := lexer.next().kind2\n",
	"if token == token1 || token == tok2 {\n",
	"auth = md5(user + \":\" + password1)\n",
	"PASSWORD_HASH_ALGORITHM = argon2id\n",
	"passwordMinLength: 12\n",
	"tokenUrl: https://auth.example.com/oauth2/v2/token\n",
	"key: int64\n",
	"password: str = Field(min_length=8)\n",
	"private_key: &RsaPrivateKey2048,\n",
	"\tconfigAuthKey = *cfg.Parsed.AuthKey\n",
	"\tauthKey = cfg.Parsed.AuthKey\n",
	"    this.apiKey = options->vendor::ApiKey\n",
	"\tsharedSecret = state?.handshake.sharedSecret\n",
	"primary_key: user_id_2024\n",
	"http://localhost:8080/a@b\n",
	"https://user@example.com/x\n",
	"https://user:password@example.com/x\n",
	"https://user:${TOKEN}@example.com/x\n",
	"postgres://user:%s@%s/db\n",
	"ssh://git@git.example.com:22/x.git\n",
	"import x from \"https://cdn.example.com/npm/react@18.2.0/index.js\"\n",
	"commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n",
	"example.com/x v1.2.3 h1:2tbx+5L7RNvqJjn7RIuIKu9XTsIZ9Z5wX2G22XAa5EU=\n",
	"\"integrity\": \"sha512-9qkHjJ7uEXWq7fmHYwTzRQoMkPvTcWGRZaCqYr4zGJk2vGqVTQ==\"\n",
	"id: 123e4567-e89b-12d3-a456-426614174000\n",
	"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\n",
	"-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXqSDG8I2mx0a\n-----END PUBLIC KEY-----\n",
	"const head = \"-----BEGIN RSA PRIVATE KEY-----\"\n\nfunc f() { return g(head) }\n\nconst foot = \"-----END RSA PRIVATE KEY-----\"\n",
	"    --- PASS: TestName/case_1 (0.00s)\n",
	"Authorization: Bearer <token>\n",
	"Authorization: Bearer ${TOKEN}\n",
	"Authorization: Basic realm=\"x\"\n",
	"sk-learn and task-force-1234567890123456789012345\n",
	"xoxb-your-token-goes-here\n",
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
	"The password is stored with bcrypt; a token expires after 3600 seconds.\n",
	"tokens, keys := splitTokens2(text), mapKeys3(text)\n",
	"Passwords: at least 12 characters, 1 digit\n",
}

func TestPlainTextsAreLeftAlone(t *testing.T) {
	s := scanner(t)
	for _, text := range plain {
		if clean, found := s.Redact(text); clean != text {
			t.Errorf("%q becomes %q (%v)", text, clean, found)
		}
	}
}
