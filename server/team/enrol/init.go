package enrol

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
)

// founding is a team that is being made.
type founding struct {
	dir     string
	o       Options
	record  *record
	account nkeys.KeyPair
	system  nkeys.KeyPair
	tokens  tokens
	ca      *authority // nil where the servers need none
	own     *keyPair   // the servers' certificate of the options
}

// tokens are the JWTs that servers start with.
type tokens struct{ operator, account, system string }

// Init makes a team in dir, which must not exist or be empty: keys, the record of members, and for
// each server a folder node-1, node-2 and so on, which is complete in itself and can be copied to
// the server's machine. A stock nats-server runs in such a folder with `nats-server -c nats.conf`.
//
// What is below keys, and the files that end in .creds, allow to admit members and to change the
// streams: they stay with the person who runs the team.
func Init(dir string, o Options) (err error) {
	o, err = o.normalized()
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: a team needs a folder of its own", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the team's folder: %w", err)
	}
	unlock, err := lock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	f := &founding{dir: dir, o: o}
	for _, step := range []func() error{f.keys, f.certificates, f.credentials, f.nodes, f.save} {
		if err := step(); err != nil {
			return fmt.Errorf("make the team: %w", err)
		}
	}
	return nil
}

// keys makes the keys, and the JWTs of operator and accounts.
func (f *founding) keys() error {
	operator, operatorPublic, err := newKey(f.dir, operatorKey, nkeys.CreateOperator)
	if err != nil {
		return err
	}
	signing, signingPublic, err := newKey(f.dir, signingKey, nkeys.CreateOperator)
	if err != nil {
		return err
	}
	account, accountPublic, err := newKey(f.dir, accountKey, nkeys.CreateAccount)
	if err != nil {
		return err
	}
	system, systemPublic, err := newKey(f.dir, systemKey, nkeys.CreateAccount)
	if err != nil {
		return err
	}
	f.account, f.system = account, system
	id := make([]byte, 8)
	teamKey := make([]byte, TeamKeyBytes)
	rand.Read(id) // never fails
	rand.Read(teamKey)
	if err := writeFile(filepath.Join(f.dir, teamKeyFile), []byte(hex.EncodeToString(teamKey)+"\n")); err != nil {
		return err
	}
	f.record = &record{
		Format: membershipFormat, TeamID: hex.EncodeToString(id), Team: f.o.Team, Account: accountPublic, System: systemPublic,
		FactBytes: f.o.FactBytes, VectorBytes: f.o.VectorBytes, Members: []memberRecord{},
	}

	oc := jwt.NewOperatorClaims(operatorPublic)
	oc.Name = "contexture " + f.record.TeamID
	oc.SigningKeys.Add(signingPublic)
	oc.SystemAccount = systemPublic
	if f.tokens.operator, err = oc.Encode(operator); err != nil {
		return err
	}
	if f.tokens.system, err = systemClaims(systemPublic).Encode(signing); err != nil {
		return err
	}
	if f.tokens.account, err = accountClaims(f.record).Encode(signing); err != nil {
		return err
	}
	return writeFile(filepath.Join(f.dir, AccountFile), []byte(f.tokens.account))
}

// accountClaims returns the team's account: it may store on disk and not in memory, and has nothing
// to do with other accounts of the servers.
func accountClaims(r *record) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(r.Account)
	c.Name = r.Team
	c.Limits.JetStreamLimits = jwt.JetStreamLimits{
		DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit, MaxAckPending: jwt.NoLimit, MaxBytesRequired: true,
	}
	c.Limits.Imports, c.Limits.Exports, c.Limits.LeafNodeConn = 0, 0, 0
	return c
}

func systemClaims(public string) *jwt.AccountClaims {
	c := jwt.NewAccountClaims(public)
	c.Name = "system"
	return c
}

// credentials makes the two users that administer the servers.
func (f *founding) credentials() error {
	for file, account := range map[string]nkeys.KeyPair{AdminCredentials: f.account, SystemCredentials: f.system} {
		user, err := nkeys.CreateUser()
		if err != nil {
			return err
		}
		public, err := user.PublicKey()
		if err != nil {
			return err
		}
		seed, err := user.Seed()
		if err != nil {
			return err
		}
		claims := jwt.NewUserClaims(public)
		claims.Name = file
		token, err := claims.Encode(account)
		if err != nil {
			return err
		}
		text, err := jwt.FormatUserConfig(token, seed)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(f.dir, file), text); err != nil {
			return err
		}
	}
	return nil
}

// save writes the record, last: a folder without it is no team's.
func (f *founding) save() error {
	scheme := "tls://"
	if f.ca == nil && f.own == nil {
		scheme = "nats://"
	}
	for _, s := range f.o.Servers {
		f.record.Servers = append(f.record.Servers, scheme+s)
	}
	switch {
	case f.own != nil:
		f.record.CA = string(f.own.ca)
	case f.ca != nil:
		f.record.CA = string(f.ca.certificate)
	}
	return f.record.save(f.dir)
}
