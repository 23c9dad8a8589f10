package enrol

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// newTeam makes a team with one member and returns its folder and the member's file.
func newTeam(t *testing.T, o Options) (dir string, file []byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "team")
	if o.Team == "" {
		o.Team = "Team of \"tests\" ✓"
	}
	if err := Init(dir, o); err != nil {
		t.Fatal(err)
	}
	file, err := Admit(dir, "Ada Lovelace")
	if err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func TestMembership(t *testing.T) {
	dir, file := newTeam(t, Options{})
	m, err := ParseMembership(file)
	if err != nil {
		t.Fatal(err)
	}
	team, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Account != team.Account || m.TeamID != team.ID || m.Member != "Ada Lovelace" || len(m.TeamKey) != TeamKeyBytes || m.Servers[0] != "nats://127.0.0.1:4222" {
		t.Errorf("membership %+v of team %+v", m, team)
	}
	key, name, err := VerifyMember(m.Account, m.JWT)
	own, ownErr := m.PublicKey()
	if err != nil || ownErr != nil || key != own || name != m.Member {
		t.Errorf("the JWT is of %s %q: %v %v", key, name, err, ownErr)
	}
	signature, err := m.Sign([]byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := nkeys.FromPublicKey(own)
	if err != nil {
		t.Fatal(err)
	}
	if err := public.Verify([]byte("data"), signature); err != nil {
		t.Error(err)
	}
	at := filepath.Join(t.TempDir(), "member.json")
	if err := os.WriteFile(at, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := LoadMembership(at); err != nil || again.JWT != m.JWT {
		t.Errorf("from a file: %v", err)
	}
}

// TestMembershipRefused checks that each wrong field is named.
func TestMembershipRefused(t *testing.T) {
	dir, file := newTeam(t, Options{})
	second, err := Admit(dir, "Bob")
	if err != nil {
		t.Fatal(err)
	}
	_, foreign := newTeam(t, Options{})
	var bob, other Membership
	if err := errors.Join(json.Unmarshal(second, &bob), json.Unmarshal(foreign, &other)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		field  string
		change func(m *Membership)
	}{
		{"format", func(m *Membership) { m.Format = 2 }},
		{"format", func(m *Membership) { m.Format = 0 }},
		{"team_id", func(m *Membership) { m.TeamID = "../x" }},
		{"team", func(m *Membership) { m.Team = "a\nb" }},
		{"member", func(m *Membership) { m.Member = strings.Repeat("x", 101) }},
		{"jwt", func(m *Membership) { m.Member = "Someone else" }},
		{"account", func(m *Membership) { m.Account = m.Account[1:] }},
		{"jwt", func(m *Membership) { m.Account = other.Account }},
		{"jwt", func(m *Membership) { m.JWT = other.JWT }},
		{"jwt", func(m *Membership) { m.JWT = strings.Repeat("x", maxJWTBytes+1) }},
		{"seed", func(m *Membership) { m.Seed = bob.Seed }},
		{"seed", func(m *Membership) { m.Seed = "SUnone" }},
		{"team_key", func(m *Membership) { m.TeamKey = m.TeamKey[1:] }},
		{"ca", func(m *Membership) { m.CA = "no certificate" }},
		{"servers", func(m *Membership) { m.Servers = nil }},
		{"servers", func(m *Membership) { m.Servers = make([]string, maxServers+1) }},
		{"servers[0]", func(m *Membership) { m.Servers = []string{"nats://nats.example:4222"} }},
		{"servers[1]", func(m *Membership) { m.Servers = append(m.Servers, "tls://a:b@nats.example:4222") }},
		{"servers[0]", func(m *Membership) { m.Servers = []string{"https://nats.example:4222"} }},
		{"servers[0]", func(m *Membership) { m.Servers = []string{"tls://nats.example"} }},
	} {
		var m Membership
		if err := json.Unmarshal(file, &m); err != nil {
			t.Fatal(err)
		}
		test.change(&m)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseMembership(text)
		var wrong *FieldError
		if !errors.As(err, &wrong) || wrong.Field != test.field {
			t.Errorf("%s: %v", test.field, err)
		}
	}
	for name, text := range map[string]string{
		"unknown field": strings.Replace(string(file), "{", `{"password": "x",`, 1),
		"after the end": string(file) + "{}",
		"at most":       string(file) + strings.Repeat(" ", maxMembershipBytes),
		"no membership": "[]",
		"unexpected":    string(file[:len(file)/2]),
	} {
		if _, err := ParseMembership([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzParseMembership(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "team")
	if err := Init(dir, Options{Team: "T"}); err != nil {
		f.Fatal(err)
	}
	file, err := Admit(dir, "A")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(bytes.ReplaceAll(file, []byte("tls"), []byte("nats")))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseMembership(data)
		if err != nil {
			return
		}
		if _, _, err := VerifyMember(m.Account, m.JWT); err != nil {
			t.Errorf("a membership is accepted whose JWT is not: %v", err)
		}
	})
}

// TestVerifyMember checks JWTs that a member could make from the own one.
func TestVerifyMember(t *testing.T) {
	_, file := newTeam(t, Options{})
	m, err := ParseMembership(file)
	if err != nil {
		t.Fatal(err)
	}
	forger, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	key, err := m.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(key)
	claims.Name, claims.IssuerAccount = "Chief", m.Account // issued in the team's name by another key
	forged, err := claims.Encode(forger)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(m.JWT, ".")
	for name, token := range map[string]string{
		"another issuer": forged, "empty": "", "no signature": parts[0] + "." + parts[1] + ".", "another body": parts[0] + "." + strings.Split(forged, ".")[1] + "." + parts[2],
	} {
		if _, as, err := VerifyMember(m.Account, token); err == nil {
			t.Errorf("%s is accepted as %q", name, as)
		}
	}
}

// TestSecrets checks that keys are readable by their owner only, that servers' folders have none
// that admits members, and that nothing contains a password.
func TestSecrets(t *testing.T) {
	dir, _ := newTeam(t, Options{Servers: []string{"a.example:4222", "b.example:4222", "c.example:4222"}})
	if err := Remove(dir, "Ada Lovelace"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.Contains(path, "node-") && (bytes.Contains(text, []byte("SEED")) || strings.HasSuffix(path, ".nk") || strings.HasSuffix(path, ".creds")) {
			t.Errorf("%s is in a server's folder", path)
		}
		if bytes.Contains(bytes.ToLower(text), []byte("password")) {
			t.Errorf("%s has a password", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// Each server has a certificate for its own host, by the authority that members are told.
	team, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(team.CA))
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "node-2", "tls", "server.pem"), filepath.Join(dir, "node-2", "tls", "server-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "b.example"}); err != nil {
		t.Error(err)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: "a.example"}); err == nil {
		t.Error("a server's certificate is valid for another server")
	}
}

// TestRemove checks that everyone who was ever removed stays so, also one who is admitted again.
func TestRemove(t *testing.T) {
	dir, file := newTeam(t, Options{})
	first, err := ParseMembership(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Admit(dir, "Ada Lovelace"); err == nil {
		t.Error("a member is admitted twice")
	}
	if err := Remove(dir, "Nobody"); err == nil {
		t.Error("who is no member is removed")
	}
	for range 2 { // a repeat is fine
		if err := Remove(dir, "Ada Lovelace"); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Admit(dir, "Ada Lovelace")
	if err != nil {
		t.Fatal(err)
	}
	second, err := ParseMembership(again)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Admit(dir, "Bob"); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir, "Bob"); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, filepath.Join(dir, NodeFolder(1))} {
		text, err := os.ReadFile(filepath.Join(at, AccountFile))
		if err != nil {
			t.Fatal(err)
		}
		account, err := jwt.DecodeAccountClaims(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range map[*Membership]bool{first: true, second: false} {
			claims, err := jwt.DecodeUserClaims(m.JWT)
			if err != nil {
				t.Fatal(err)
			}
			if account.IsClaimRevoked(claims) != want {
				t.Errorf("%s: revoked is not %v", at, want)
			}
		}
	}
	members, err := Members(dir)
	if err != nil || len(members) != 3 || members[0].Removed.IsZero() || !members[1].Removed.IsZero() || members[2].Removed.IsZero() {
		t.Errorf("members %+v: %v", members, err)
	}
}

// TestInitRefused checks what is no team, before anything is written.
func TestInitRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"two servers":       {Team: "T", Servers: []string{"a.example:1", "b.example:1"}},
		"no name":           {Servers: []string{"a.example:1"}},
		"no port":           {Team: "T", Servers: []string{"a.example"}},
		"port":              {Team: "T", Servers: []string{"a.example:70000"}},
		"host":              {Team: "T", Servers: []string{"a b\":1"}},
		"too few to listen": {Team: "T", Servers: []string{"a.example:1"}, Listen: []string{"a.example:1", "a.example:2"}},
		"no key":            {Team: "T", CertFile: "cert.pem"},
		"no certificate":    {Team: "T", CertFile: "cert.pem", KeyFile: "key.pem"},
		"small":             {Team: "T", FactBytes: 1},
	} {
		dir := filepath.Join(t.TempDir(), "team")
		if err := Init(dir, o); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := Load(dir); err == nil {
			t.Errorf("%s: a team is there", name)
		}
	}
	dir, _ := newTeam(t, Options{})
	if err := Init(dir, Options{Team: "T"}); err == nil {
		t.Error("a team is overwritten")
	}
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Admit(dir, "Bob"); err == nil || !strings.Contains(err.Error(), lockFile) {
		t.Errorf("two change a team: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if _, err := Admit(dir, "Bob"); err != nil {
		t.Error(err)
	}
}

// TestOwnCertificate checks that a certificate of the options is what members and servers get.
func TestOwnCertificate(t *testing.T) {
	maker, err := newAuthority("company")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := maker.issue("server", "nats.example:4222")
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	for name, data := range map[string][]byte{"cert.pem": pair.certificate, "key.pem": pair.key, "ca.pem": maker.certificate} {
		if err := os.WriteFile(filepath.Join(files, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, file := newTeam(t, Options{
		Servers: []string{"nats.example:4222"}, Listen: []string{"0.0.0.0:4222"},
		CertFile: filepath.Join(files, "cert.pem"), KeyFile: filepath.Join(files, "key.pem"), CAFile: filepath.Join(files, "ca.pem"),
	})
	m, err := ParseMembership(file)
	if err != nil || m.CA != string(maker.certificate) || m.Servers[0] != "tls://nats.example:4222" {
		t.Errorf("membership %+v: %v", m, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "node-1", "tls", "server.pem")); err != nil || !bytes.Equal(got, pair.certificate) {
		t.Errorf("the server's certificate is another: %v", err)
	}
}
