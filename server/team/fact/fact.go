// Package fact is what a team shares of its memory: rules, lessons, decisions and references, each
// signed by its author.
//
// An [Envelope] is a fact as it travels, as its author signed it; [Open] checks one.
// A [Set] holds the envelopes of one repository and merges them: whatever their order, and however
// often each comes, equal sets have equal [Set.Heads]. [Marshal] and [Unmarshal] are the files of a
// repository by which a team without a server shares. [Seal] hides a fact from the owner of a
// server.
//
// The package reads no files and no clock.
package fact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nkeys"
)

// Kind is what a fact is.
type Kind string

// The kinds of facts.
const (
	Rule      Kind = "rule"
	Lesson    Kind = "lesson"
	Decision  Kind = "decision"
	Reference Kind = "reference" // a reference or a note
)

// Limits of a fact. A larger one is refused where it is written and where it is read.
const (
	MaxContent    = 64 << 10  // bytes of Content
	MaxEnvelope   = 160 << 10 // bytes of an envelope
	maxTitle      = 4000
	maxQuotations = 16
	maxSupersedes = 64
	maxWords      = 64 // topics, keywords
)

// version is the form of facts that this program writes and reads.
const version = 1

// Errors of an envelope. Each wraps what exactly is wrong.
var (
	// ErrForged: the signature is not that of the author, or of other bytes.
	ErrForged = errors.New("the signature is wrong")
	// ErrInvalid: it is no fact, or one beyond the limits.
	ErrInvalid = errors.New("not a valid fact")
	// ErrNewer: a newer program wrote it.
	ErrNewer = errors.New("written by a newer version of Contexture")
)

// Quotation is what somebody said, byte for byte. It names no conversation, since those stay with
// their owner.
type Quotation struct {
	Text   string    `json:"text"`
	At     time.Time `json:"at"`
	Author string    `json:"author,omitempty"`
}

// Fact is something that one member of a team tells the others. Its JSON is what is signed.
type Fact struct {
	Version int `json:"v"`
	// Repository is the id of the repository that it belongs to.
	Repository string `json:"repository"`
	// Author is the public key of who wrote it, and Name what they call themselves.
	Author string `json:"author"`
	Name   string `json:"name,omitempty"`
	// At is the author's clock. It is shown to people and decides nothing.
	At time.Time `json:"at"`
	// Removes is the id of an earlier fact of the same author that is withdrawn; then the fields
	// below are empty.
	Removes string `json:"removes,omitempty"`

	Kind       Kind        `json:"kind,omitempty"`
	Title      string      `json:"title,omitempty"`
	Content    string      `json:"content,omitempty"`
	Note       bool        `json:"note,omitempty"` // a reference in a person's own words
	Topics     []string    `json:"topics,omitempty"`
	Keywords   []string    `json:"keywords,omitempty"`
	Scope      string      `json:"scope,omitempty"` // files and symbols that it is about
	Quotations []Quotation `json:"quotations,omitempty"`
	// Supersedes are the ids of the facts that it replaces.
	Supersedes []string `json:"supersedes,omitempty"`
}

// Envelope is a fact as it travels.
type Envelope struct {
	// Fact is the JSON of a Fact. What is signed is its compact form, so that a file may show it
	// indented.
	Fact json.RawMessage `json:"fact"`
	// Signature of Fact by its author, in base64.
	Signature string `json:"signature"`
	// Credential proves the author's membership of a team and their name; "" without a server.
	Credential string `json:"credential,omitempty"`
}

// Signer signs facts.
type Signer struct {
	key        nkeys.KeyPair
	public     string
	name       string
	credential string
}

// NewSeed returns a seed for [NewSigner] from a source of randomness.
func NewSeed(random io.Reader) ([]byte, error) {
	key, err := nkeys.CreatePairWithRand(nkeys.PrefixByteUser, random)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return key.Seed()
}

// NewSigner returns the signer of a seed (an NKey of a user) under a name. credential may be "".
func NewSigner(seed []byte, name, credential string) (*Signer, error) {
	key, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("read the key of a team's member: %w", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("read the key of a team's member: %w", err)
	}
	if !nkeys.IsValidPublicUserKey(public) {
		return nil, fmt.Errorf("read the key of a team's member: %s is not the key of a user", public)
	}
	return &Signer{key: key, public: public, name: name, credential: credential}, nil
}

// Author returns the public key that its facts name.
func (s *Signer) Author() string { return s.public }

// Sign completes a fact with its author and returns it as it travels, with its id. The fact must
// be within the limits: ErrInvalid names what is not.
func (s *Signer) Sign(f Fact) (id string, sealed []byte, err error) {
	f.Version, f.Author, f.Name, f.At = version, s.public, s.name, f.At.UTC().Truncate(time.Second)
	if err := f.check(); err != nil {
		return "", nil, err
	}
	body, err := encode(f)
	if err != nil {
		return "", nil, err
	}
	signature, err := s.key.Sign(body)
	if err != nil {
		return "", nil, fmt.Errorf("sign a fact: %w", err)
	}
	sealed, err = encode(Envelope{Fact: body, Signature: base64.StdEncoding.EncodeToString(signature), Credential: s.credential})
	if err == nil && len(sealed) > MaxEnvelope {
		err = fmt.Errorf("%w: it has %d bytes, %d are allowed", ErrInvalid, len(sealed), MaxEnvelope)
	}
	return idOf(&f, body), sealed, err
}

// VerifiedFact is a fact whose signature is right.
type VerifiedFact struct {
	Fact
	// ID of the fact, or of the one that it removes. It follows from the content, so that the same
	// fact has the same id wherever it comes from.
	ID string
	// Credential is the envelope's; it is not checked yet.
	Credential string
	// Sealed are the bytes of the envelope, in the form that Sign gives them.
	Sealed []byte
}

// Open checks an envelope: its form, its limits and its signature. Errors wrap ErrForged,
// ErrInvalid or ErrNewer. Who the author is, the caller must find out by the credential.
func Open(sealed []byte) (*VerifiedFact, error) {
	if len(sealed) > MaxEnvelope {
		return nil, fmt.Errorf("%w: it has %d bytes, %d are allowed", ErrInvalid, len(sealed), MaxEnvelope)
	}
	var e Envelope
	if err := json.Unmarshal(sealed, &e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	var signed bytes.Buffer
	if err := json.Compact(&signed, e.Fact); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	e.Fact = signed.Bytes()
	o := &VerifiedFact{Credential: e.Credential}
	if err := json.Unmarshal(e.Fact, &o.Fact); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if o.Version > version {
		return nil, fmt.Errorf("%w: form %d, this program knows %d", ErrNewer, o.Version, version)
	}
	if !nkeys.IsValidPublicUserKey(o.Author) {
		return nil, fmt.Errorf("%w: its author %.80q is not a key", ErrInvalid, o.Author)
	}
	key, err := nkeys.FromPublicKey(o.Author)
	if err != nil {
		return nil, fmt.Errorf("%w: its author: %w", ErrInvalid, err)
	}
	signature, err := base64.StdEncoding.DecodeString(e.Signature)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForged, err)
	}
	if err := key.Verify(e.Fact, signature); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForged, err)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	o.ID = idOf(&o.Fact, e.Fact)
	o.Sealed, err = encode(e)
	return o, err
}

// idOf returns the id of a fact with these signed bytes. A removal has that of what it removes, so
// that it takes its place wherever one envelope an id is kept.
func idOf(f *Fact, body []byte) string {
	if f.Removes != "" {
		return f.Removes
	}
	sum := sha256.Sum256(body)
	return "f" + hex.EncodeToString(sum[:20])
}

// IsID reports whether a text has the form of a fact's id.
func IsID(id string) bool {
	if len(id) != 41 || id[0] != 'f' {
		return false
	}
	return !strings.ContainsFunc(id[1:], func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
}

// IsRepository reports whether a text has the form of a repository's id: a token of a subject.
func IsRepository(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_", r)
	})
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a fact: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// check returns what is wrong with a fact, wrapping ErrInvalid.
func (f *Fact) check() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
	}
	if !IsRepository(f.Repository) {
		return invalid("repository %.80q is not an id", f.Repository)
	}
	if f.Removes != "" {
		if !IsID(f.Removes) {
			return invalid("removes %.80q, which is not an id", f.Removes)
		}
		if f.Kind != "" || f.Title != "" || f.Content != "" || len(f.Supersedes) > 0 || len(f.Quotations) > 0 {
			return invalid("it removes a fact and states one")
		}
		return nil
	}
	if !slices.Contains([]Kind{Rule, Lesson, Decision, Reference}, f.Kind) {
		return invalid("kind %.80q is not rule, lesson, decision or reference", f.Kind)
	}
	switch {
	case strings.TrimSpace(f.Content) == "":
		return invalid("it has no content")
	case len(f.Content) > MaxContent:
		return invalid("its content has %d bytes, %d are allowed", len(f.Content), MaxContent)
	case len(f.Title) > maxTitle:
		return invalid("its title has %d bytes, %d are allowed", len(f.Title), maxTitle)
	case len(f.Supersedes) > maxSupersedes:
		return invalid("it replaces %d facts, %d are allowed", len(f.Supersedes), maxSupersedes)
	case len(f.Quotations) > maxQuotations:
		return invalid("it has %d quotations, %d are allowed", len(f.Quotations), maxQuotations)
	case len(f.Topics) > maxWords || len(f.Keywords) > maxWords:
		return invalid("it has %d topics and %d keywords, %d are allowed", len(f.Topics), len(f.Keywords), maxWords)
	case !utf8.ValidString(f.Title + f.Content + f.Name + f.Scope):
		return invalid("it is not UTF-8")
	}
	for _, id := range f.Supersedes {
		if !IsID(id) {
			return invalid("it replaces %.80q, which is not an id", id)
		}
	}
	return nil
}
