package enrol

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

const (
	// membershipFormat is the version of the file that [ParseMembership] reads.
	membershipFormat = 1
	// maxMembershipBytes is the maximum size of a membership file; a usual one has 3 KiB.
	maxMembershipBytes = 64 << 10
	// maxJWTBytes is the maximum size of a member's JWT; a usual one has 1.5 KiB.
	maxJWTBytes = 8 << 10
	// maxServers is the maximum number of addresses in a membership.
	maxServers = 32
	// maxName is the maximum length of a team's or member's name in bytes.
	maxName = 100
	// TeamKeyBytes is the length of a team key.
	TeamKeyBytes = 32
)

// Membership is what one person needs to take part in a team. It is a secret: it contains the
// member's own key and the team's. A Membership is immutable after [ParseMembership].
type Membership struct {
	Format  int      `json:"format"`
	TeamID  string   `json:"team_id"`      // is the same for all members and never changes
	Team    string   `json:"team"`         // a name for people
	Servers []string `json:"servers"`      // tls://host:port each; nats:// for loopback only
	CA      string   `json:"ca,omitempty"` // PEM; empty where the system trusts the servers' certificate
	Account string   `json:"account"`      // the public key that signs the members' JWTs
	TeamKey []byte   `json:"team_key"`     // keys the names of what is shared; never sent
	Member  string   `json:"member"`       // the member's name
	JWT     string   `json:"jwt"`          // states the member's public key, name and rights
	Seed    string   `json:"seed"`         // the member's private key
}

// FieldError says which field of a membership is wrong.
type FieldError struct {
	Field  string // as the file names it
	Reason string
}

func (e *FieldError) Error() string { return fmt.Sprintf("%q %s", e.Field, e.Reason) }

func fieldError(field, format string, args ...any) error {
	return &FieldError{field, fmt.Sprintf(format, args...)}
}

// LoadMembership reads the membership in a file.
func LoadMembership(file string) (*Membership, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the membership: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMembershipBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the membership: %w", err)
	}
	m, err := ParseMembership(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// ParseMembership parses and validates a membership file. The error names what is wrong and is a
// [FieldError] where one field is.
func ParseMembership(data []byte) (*Membership, error) {
	if len(data) > maxMembershipBytes {
		return nil, fmt.Errorf("a membership file has at most %d bytes; ask who runs the team for a new one", maxMembershipBytes)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	m := new(Membership)
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("this is no membership file: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("this is no membership file: something follows the JSON object")
	}
	return m, m.Validate()
}

// Validate checks each field, and that the keys belong together.
func (m *Membership) Validate() error {
	switch {
	case m.Format > membershipFormat:
		return fieldError("format", "is %d; this program reads %d: update it", m.Format, membershipFormat)
	case m.Format != membershipFormat:
		return fieldError("format", "is %d, not %d", m.Format, membershipFormat)
	case !isID(m.TeamID):
		return fieldError("team_id", "is not 1 to 64 of the characters a-z, 0-9 and -")
	case !isName(m.Team):
		return fieldError("team", "is not a name of 1 to %d bytes", maxName)
	case !isName(m.Member):
		return fieldError("member", "is not a name of 1 to %d bytes", maxName)
	case !nkeys.IsValidPublicAccountKey(m.Account):
		return fieldError("account", "is not the public key of an account")
	case len(m.TeamKey) != TeamKeyBytes:
		return fieldError("team_key", "has %d bytes, not %d", len(m.TeamKey), TeamKeyBytes)
	}
	if err := checkServers(m.Servers); err != nil {
		return err
	}
	if m.CA != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(m.CA)) {
		return fieldError("ca", "has no certificate")
	}
	key, name, err := VerifyMember(m.Account, m.JWT)
	if err != nil {
		return fieldError("jwt", "is not signed for this team: %v", err)
	}
	if name != m.Member {
		return fieldError("jwt", "is for %q, not for %q", name, m.Member)
	}
	own, err := m.PublicKey()
	if err != nil {
		return err
	}
	if own != key {
		return fieldError("seed", "is not the key that the JWT names")
	}
	return nil
}

// PublicKey returns the public half of the member's key, which is the author of the member's facts.
func (m *Membership) PublicKey() (string, error) {
	pair, err := m.pair()
	if err != nil {
		return "", err
	}
	defer pair.Wipe()
	return pair.PublicKey()
}

// Sign signs data with the member's key. It serves both the connection to a server and facts.
func (m *Membership) Sign(data []byte) ([]byte, error) {
	pair, err := m.pair()
	if err != nil {
		return nil, err
	}
	defer pair.Wipe()
	return pair.Sign(data)
}

func (m *Membership) pair() (nkeys.KeyPair, error) {
	prefix, _, err := nkeys.DecodeSeed([]byte(m.Seed))
	if err != nil || prefix != nkeys.PrefixByteUser {
		return nil, fieldError("seed", "is not the private key of a user")
	}
	return nkeys.FromSeed([]byte(m.Seed))
}

// VerifyMember checks that a member's JWT was signed with the account's key, and returns the
// member's public key and name. It does not know who was removed since; only the servers do.
func VerifyMember(account, userJWT string) (key, name string, err error) {
	if len(userJWT) > maxJWTBytes {
		return "", "", fmt.Errorf("a member's JWT has at most %d bytes", maxJWTBytes)
	}
	claims, err := jwt.DecodeUserClaims(userJWT) // checks the signature of the issuer that it names
	switch {
	case err != nil:
		return "", "", fmt.Errorf("read a member's JWT: %w", err)
	case claims.Issuer != account || claims.IssuerAccount != "" && claims.IssuerAccount != account:
		return "", "", errors.New("a member's JWT was issued by another team")
	case !nkeys.IsValidPublicUserKey(claims.Subject):
		return "", "", errors.New("a member's JWT names no user key")
	case !isName(claims.Name):
		return "", "", fmt.Errorf("a member's JWT has no name of 1 to %d bytes", maxName)
	}
	return claims.Subject, claims.Name, nil
}

var idPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

func isID(s string) bool { return idPattern.MatchString(s) }

// isName reports whether s can be shown to a person as a name: printable, and not with blanks at
// the ends.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && strings.TrimSpace(s) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// checkServers checks the addresses of servers. What leaves this machine is encrypted.
func checkServers(servers []string) error {
	if len(servers) == 0 || len(servers) > maxServers {
		return fieldError("servers", "has %d addresses, not 1 to %d", len(servers), maxServers)
	}
	for i, s := range servers {
		field := fmt.Sprintf("servers[%d]", i)
		u, err := url.Parse(s)
		switch {
		case err != nil || u.Hostname() == "" || u.Port() == "" || strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
			return fieldError(field, "is not like tls://host:4222")
		case u.User != nil:
			return fieldError(field, "contains a user or a password; the member's key is what proves who connects")
		case u.Scheme == "tls", u.Scheme == "nats" && isLoopback(u.Hostname()):
		case u.Scheme == "nats":
			return fieldError(field, "is not encrypted and not on this machine: use tls://")
		default:
			return fieldError(field, "is not like tls://host:4222")
		}
	}
	return nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
