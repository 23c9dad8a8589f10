package team

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/fact"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// memberships is what the state directory says about teams: the memberships, and which team each
// repository belongs to. Its folder holds
//
//	teams/ID.json      a membership, a secret
//	repositories.json  the team of each repository
//	own.seed           the key of a person who shares by Git alone, a secret
//	facts/REPOSITORY   a ledger
//
// Safe for concurrent use; other processes may write too, the last one wins.
type memberships struct {
	dir string
	mu  sync.Mutex // serialises changes
}

// binding is what is known of a repository.
type binding struct {
	Team string `json:"team,omitempty"` // "" = it shares by Git alone
	// Former are the ids of the repository before its history was rewritten, the oldest first.
	Former []string `json:"former,omitempty"`
	// First is the first commit.
	First string `json:"first"`
	// Root is where it was found last.
	Root string `json:"root"`
}

func (j *memberships) folder(repository string) string {
	return filepath.Join(j.dir, "facts", repository)
}

func (j *memberships) membershipFile(team string) string {
	return filepath.Join(j.dir, "teams", team+".json")
}

// membership returns the membership of a team.
func (j *memberships) membership(team string) (*enrol.Membership, error) {
	return enrol.LoadMembership(j.membershipFile(team))
}

// bindings returns the repositories that share, by their ids.
func (j *memberships) bindings() (map[string]binding, error) {
	out := map[string]binding{}
	data, err := os.ReadFile(filepath.Join(j.dir, "repositories.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the repositories of teams: %w", err)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read the repositories of teams: %s: %w", filepath.Join(j.dir, "repositories.json"), err)
	}
	return out, nil
}

// bind changes what is known of a repository; change is called with the zero value for one that is
// not known, and returns false to forget it.
func (j *memberships) bind(repository string, change func(b *binding) (keep bool)) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	all, err := j.bindings()
	if err != nil {
		return err
	}
	b := all[repository]
	if change(&b) {
		all[repository] = b
	} else {
		delete(all, repository)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write the repositories of teams: %w", err)
	}
	return replaceFile(filepath.Join(j.dir, "repositories.json"), append(text, '\n'))
}

// keep stores a membership.
func (j *memberships) keep(m *enrol.Membership) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("store a membership: %w", err)
	}
	return replaceFile(j.membershipFile(m.TeamID), append(text, '\n'))
}

// drop removes the membership of a team that no repository belongs to any more.
func (j *memberships) drop(team string) error {
	all, err := j.bindings()
	if err != nil {
		return err
	}
	for _, b := range all {
		if b.Team == team {
			return nil
		}
	}
	if err := os.Remove(j.membershipFile(team)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove a membership: %w", err)
	}
	return nil
}

// signer returns who signs the facts of a repository: the member of its team, or without a team a
// key that is made on first use, under the name that the person has here.
func (j *memberships) signer(m *enrol.Membership, name string) (*fact.Signer, error) {
	if m != nil {
		return fact.NewSigner([]byte(m.Seed), m.Member, m.JWT)
	}
	file := filepath.Join(j.dir, "own.seed")
	seed, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if seed, err = fact.NewSeed(rand.Reader); err == nil {
			err = replaceFile(file, append(seed, '\n'))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read your own key for sharing: %w", err)
	}
	return fact.NewSigner([]byte(strings.TrimSpace(string(seed))), name, "")
}

// replaceFile writes a file that only its owner may read, whole or not at all.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Memberships returns the memberships in a state directory, by the names of their files, with the
// number of repositories of each. It opens nothing else, for a report.
func Memberships(stateDir string) (list []Membership, err error) {
	j := &memberships{dir: filepath.Join(stateDir, "team")}
	all, err := j.bindings()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(j.membershipFile("*"))
	if err != nil {
		return nil, fmt.Errorf("list memberships: %w", err)
	}
	for _, file := range files {
		k := Membership{File: file}
		if k.Membership, k.Err = enrol.LoadMembership(file); k.Err == nil {
			for _, b := range all {
				if b.Team == k.Membership.TeamID {
					k.Repositories++
				}
			}
		}
		list = append(list, k)
	}
	return list, nil
}

// Reach connects to the servers of a team as a member, and returns why that fails, or nil. It waits
// until ctx ends at most, and exchanges nothing. Errors are those of [stream.Client.Connected].
func Reach(ctx context.Context, m *enrol.Membership) error {
	c, err := stream.Open(ctx, stream.Options{Membership: m, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Connected(ctx)
}

// Membership is a membership in a state directory.
type Membership struct {
	File         string
	Membership   *enrol.Membership // nil with Err
	Err          error
	Repositories int
}
