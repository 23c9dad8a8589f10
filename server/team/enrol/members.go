package enrol

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

const (
	// maxMembers is the maximum number of people that were ever admitted to a team.
	maxMembers = 100_000
	// maxReplicas is the number of servers that store a message where there are more.
	maxReplicas = 3
	// maxSubscriptions is the maximum number of a member's subscriptions on one connection: one
	// for each repository and model that is followed, and those that wait for answers.
	maxSubscriptions = 4096
)

// Member is a person who was admitted to a team.
type Member struct {
	Name, Key string // Key is the public key
	Admitted  time.Time
	Removed   time.Time // zero for a member who has access
}

// Members returns who was admitted to the team in dir, in that order.
func Members(dir string) ([]Member, error) {
	r, err := loadRecord(dir)
	if err != nil {
		return nil, err
	}
	out := make([]Member, len(r.Members))
	for i, m := range r.Members {
		out[i] = Member{Name: m.Name, Key: m.Key, Admitted: m.Admitted}
		if m.Removed != nil {
			out[i].Removed = *m.Removed
		}
	}
	return out, nil
}

// Admit admits a person to the team in dir and returns the membership file, which the person gets
// by a way that nobody else reads. The servers need not be told.
func Admit(dir, name string) (file []byte, err error) {
	err = change(dir, func(r *record) error {
		if !isName(name) {
			return fmt.Errorf("the member's name %q is not 1 to %d printable bytes", name, maxName)
		}
		if len(r.Members) >= maxMembers {
			return fmt.Errorf("a team admits at most %d people", maxMembers)
		}
		for _, m := range r.Members {
			if m.Name == name && m.Removed == nil {
				return fmt.Errorf("%q is a member already; another machine of the same person needs a name of its own", name)
			}
		}
		m, key, err := newMembership(dir, r, name)
		if err != nil {
			return err
		}
		r.Members = append(r.Members, memberRecord{Name: name, Key: key, Admitted: time.Now().UTC()})
		file, err = json.MarshalIndent(m, "", "  ")
		file = append(file, '\n')
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("admit a member: %w", err)
	}
	return file, nil
}

// Remove ends a member's access to the team in dir. It changes the account's file in dir and in the
// servers' folders beside it, from which contexture-team takes it within seconds; other running
// servers get it from contexture-team setup. What the person has received stays with them.
func Remove(dir, name string) error {
	err := change(dir, func(r *record) error {
		now, found := time.Now().UTC(), false
		for i := range r.Members {
			if m := &r.Members[i]; m.Name == name {
				found = true
				if m.Removed == nil {
					m.Removed = &now
				}
			}
		}
		if !found {
			return fmt.Errorf("%q is no member", name)
		}
		// The record first: the account follows from it, and a repeat writes it again.
		if err := r.save(dir); err != nil {
			return err
		}
		return writeAccount(dir, r)
	})
	if err != nil {
		return fmt.Errorf("remove a member: %w", err)
	}
	return nil
}

// change changes the record of a team under the folder's lock.
func change(dir string, do func(*record) error) (err error) {
	if _, err := loadRecord(dir); err != nil { // no lock is left where there is no team
		return err
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	r, err := loadRecord(dir) // now nobody else changes it
	if err != nil {
		return err
	}
	if err := do(r); err != nil {
		return err
	}
	return r.save(dir)
}

// newMembership makes a member's key and membership.
func newMembership(dir string, r *record, name string) (*Membership, string, error) {
	account, err := loadKey(dir, accountKey)
	if err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, teamKeyFile))
	if err != nil {
		return nil, "", err
	}
	teamKey, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", filepath.Join(dir, teamKeyFile), err)
	}
	user, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	public, err := user.PublicKey()
	if err != nil {
		return nil, "", err
	}
	seed, err := user.Seed()
	if err != nil {
		return nil, "", err
	}
	token, err := memberClaims(public, name).Encode(account)
	if err != nil {
		return nil, "", err
	}
	m := &Membership{
		Format: membershipFormat, TeamID: r.TeamID, Team: r.Team, Servers: r.Servers, CA: r.CA, Account: r.Account, TeamKey: teamKey,
		Member: name, JWT: token, Seed: string(seed),
	}
	return m, public, m.Validate()
}

// memberClaims returns a member's rights: to publish facts under the own key and packs of vectors,
// to fetch from both streams and read their state, and to receive answers and announcements. There
// is no right to delete, to purge, to create a consumer, which could deliver to other subjects, or
// to receive the answers of others.
func memberClaims(public, name string) *jwt.UserClaims {
	c := jwt.NewUserClaims(public)
	c.Name = name
	c.Pub.Allow.Add(
		"facts.*."+public+".*",
		"vectors.*.*",
		"$JS.API.STREAM.INFO."+FactStream, "$JS.API.STREAM.INFO."+PackStream,
		"$JS.API.DIRECT.GET."+FactStream, "$JS.API.DIRECT.GET."+FactStream+".>", "$JS.API.DIRECT.GET."+PackStream,
	)
	c.Sub.Allow.Add(InboxPrefix(public)+".>", StoredPrefix+">")
	c.Limits.Subs = maxSubscriptions
	c.AllowedConnectionTypes.Add(jwt.ConnectionTypeStandard)
	return c
}

// forever is later than any clock. A removed key is never admitted again, so that no clock decides.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// writeAccount signs the account with everyone's revocation who was removed, and writes it for the
// servers.
func writeAccount(dir string, r *record) error {
	signing, err := loadKey(dir, signingKey)
	if err != nil {
		return err
	}
	claims := accountClaims(r)
	for _, m := range r.Members {
		if m.Removed != nil {
			claims.RevokeAt(m.Key, forever)
		}
	}
	// A server takes a JWT for the one it has if issuer, second and these fields are the same.
	claims.Audience = fmt.Sprintf("%d removed", len(claims.Revocations))
	if err := checkClock(filepath.Join(dir, AccountFile)); err != nil {
		return err
	}
	token, err := claims.Encode(signing)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, AccountFile), []byte(token)); err != nil {
		return err
	}
	for i := range r.Servers {
		folder := filepath.Join(dir, NodeFolder(i+1))
		if _, err := os.Stat(folder); err != nil {
			continue // it was moved to its machine
		}
		if err := writeFile(filepath.Join(folder, AccountFile), []byte(token)); err != nil {
			return err
		}
	}
	return nil
}

// Team is what a team's folder says of its servers.
type Team struct {
	ID, Name               string
	Account                string   // the account's public key
	Servers                []string // as members reach them
	CA                     string   // PEM; empty where the system trusts the servers' certificate
	Replicas               int      // how many servers store each message
	FactBytes, VectorBytes int64    // the limits of the streams
}

// Load returns the team in dir.
func Load(dir string) (*Team, error) {
	r, err := loadRecord(dir)
	if err != nil {
		return nil, err
	}
	return &Team{
		ID: r.TeamID, Name: r.Team, Account: r.Account, Servers: r.Servers, CA: r.CA, Replicas: min(len(r.Servers), maxReplicas),
		FactBytes: r.FactBytes, VectorBytes: r.VectorBytes,
	}, nil
}

// checkClock returns an error if an account was issued later than now: servers ignore one that
// seems to be older than theirs.
func checkClock(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	present, err := jwt.DecodeAccountClaims(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if ahead := time.Until(time.Unix(present.IssuedAt, 0)); ahead > 0 {
		return fmt.Errorf("this machine's clock is %s behind the team's last change; set it and remove the member again", ahead.Round(time.Second))
	}
	return nil
}
