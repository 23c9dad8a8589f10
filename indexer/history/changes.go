package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxChanges is the maximum number of files of a difference that are returned.
	MaxChanges = 400

	maxChangedBytes = 1 << 20 // of a text; larger files are not written by hand
	missingObject   = "0000000000"
)

// ErrRevision means that a name is none of a commit of the repository.
var ErrRevision = errors.New("no such commit")

// ErrNoRepository means that a folder is in no repository, or in one without a commit.
var ErrNoRepository = errors.New("no Git repository with a commit")

// Change is a file that differs between two states.
type Change struct {
	Path           string // as in Commit.Files
	Added, Removed bool
	// Before and After are its texts, nil where it does not exist, is not a regular file or is
	// larger than 1 MiB. After is nil, too, when the later state is the working tree.
	Before, After []byte
}

// Changes is the difference between two states.
type Changes struct {
	// From and To are the hashes of the commits that are compared: From is "" before the first
	// commit, To is "" for the working tree.
	From, To string
	Files    []Change // sorted by path
	More     int      // files that were left out, see MaxChanges
}

// Difference returns what a revision changed below root: "" stands for the working tree, staged or
// not, with files that are not ignored and not added yet, compared with HEAD; A for the commit A
// compared with its first parent; A..B for B compared with A, and A...B for B compared with where
// it left A. also are paths that count as changed in the working tree whatever Git finds, since an
// editor has other texts of them. It fails with ErrNoRepository, ErrRevision, ErrNoGit and
// ErrUntrusted.
func Difference(ctx context.Context, root, rev string, also []string) (*Changes, error) {
	if head, err := Head(ctx, root); err != nil || head == "" {
		return nil, errors.Join(err, ErrNoRepository)
	}
	d := &difference{root: root}
	if err := d.resolve(ctx, rev); err != nil {
		return nil, err
	}
	list, err := d.list(ctx, also)
	if errors.Is(err, errNoRepository) {
		return nil, ErrNoRepository
	}
	if err == nil {
		err = d.read(ctx, list)
	}
	if err != nil {
		return nil, fmt.Errorf("read changes: %w", err)
	}
	return &d.out, nil
}

// difference is one call of Difference.
type difference struct {
	root string
	out  Changes
}

// resolve sets the commits that are compared.
func (d *difference) resolve(ctx context.Context, rev string) (err error) {
	if rev == "" {
		d.out.From, err = d.commit(ctx, "HEAD", rev)
		return err
	}
	from, to, isRange := strings.Cut(rev, "..")
	if !isRange {
		if d.out.To, err = d.commit(ctx, rev, rev); err != nil {
			return err
		}
		d.out.From, err = d.commit(ctx, d.out.To+"^", rev)
		if errors.Is(err, ErrRevision) { // the first commit, or the edge of a shallow clone
			d.out.From, err = "", nil
		}
		return err
	}
	to, fork := strings.CutPrefix(to, ".")
	if d.out.From, err = d.commit(ctx, orHead(from), rev); err != nil {
		return err
	}
	if d.out.To, err = d.commit(ctx, orHead(to), rev); err != nil || !fork {
		return err
	}
	base, err := output(ctx, d.root, "merge-base", d.out.From, d.out.To)
	if ctx.Err() != nil {
		return err
	}
	if d.out.From = strings.TrimSpace(string(base)); err != nil || d.out.From == "" {
		return fmt.Errorf("%w from which both sides of %q come", ErrRevision, rev)
	}
	return nil
}

func orHead(name string) string {
	if name == "" {
		return "HEAD"
	}
	return name
}

// commit returns the hash of the commit that a name has; rev is what the caller asked for.
func (d *difference) commit(ctx context.Context, name, rev string) (string, error) {
	out, err := output(ctx, d.root, "rev-parse", "--quiet", "--verify", "--end-of-options", name+"^{commit}")
	hash := strings.TrimSpace(string(out))
	switch {
	case ctx.Err() != nil, errors.Is(err, ErrNoGit), errors.Is(err, ErrUntrusted):
		return "", err
	case err != nil || !isHash(hash):
		return "", fmt.Errorf("%w: %q", ErrRevision, rev)
	}
	return hash, nil
}

// entry is a line of a raw difference.
type entry struct {
	change        Change
	before, after string // hashes of the texts; "" for none
}

// list returns the files that differ.
func (d *difference) list(ctx context.Context, also []string) (list []entry, err error) {
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--relative", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv"}
	switch {
	case d.out.To == "":
		args[0] = "diff-index"
		args = append(args, d.out.From, "--")
	case d.out.From == "":
		args = append(args, "--root", "--no-commit-id", d.out.To, "--")
	default:
		args = append(args, d.out.From, d.out.To, "--")
	}
	out, err := output(ctx, d.root, args...)
	if err != nil {
		return nil, err
	}
	list = rawEntries(string(out))
	if d.out.To != "" {
		return list, nil
	}
	known := map[string]bool{}
	for i := range list {
		list[i].after = "" // of a staged text, which may not be the file's
		known[list[i].change.Path] = true
	}
	if out, err = output(ctx, d.root, "ls-files", "-z", "--others", "--exclude-standard"); err != nil {
		return nil, err
	}
	for path := range strings.SplitSeq(string(out), "\x00") {
		if path != "" && !strings.HasSuffix(path, "/") && !known[path] {
			list = append(list, entry{change: Change{Path: path, Added: true}})
			known[path] = true
		}
	}
	for _, path := range also {
		if known[path] {
			continue
		}
		if out, err = output(ctx, d.root, "ls-tree", "-z", d.out.From, "--", path); err != nil {
			return nil, err
		}
		list = append(list, treeEntry(path, string(out)))
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.change.Path, b.change.Path) })
	return list, nil
}

// treeEntry returns a file as changed, by what a commit has of it: "mode type hash\tpath", or
// nothing.
func treeEntry(path, line string) entry {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return entry{change: Change{Path: path, Added: true}}
	}
	return entry{change: Change{Path: path}, before: fields[2]}
}

// rawEntries parses fields that end in NUL: ":mode mode hash hash status", then a path. It leaves
// out what is not a regular file on either side.
func rawEntries(text string) (list []entry) {
	fields := strings.Split(text, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		meta := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(meta) < 5 {
			return list
		}
		was, is := strings.HasPrefix(meta[0], "100"), strings.HasPrefix(meta[1], "100")
		e := entry{change: Change{Path: fields[i+1], Added: !was, Removed: !is}}
		if was {
			e.before = meta[2]
		}
		if is && !strings.HasPrefix(meta[3], missingObject) {
			e.after = meta[3]
		}
		if was || is {
			list = append(list, e)
		}
	}
	return list
}

// read sets the files and reads their texts, by one run of Git.
func (d *difference) read(ctx context.Context, list []entry) error {
	if len(list) > MaxChanges {
		d.out.More, list = len(list)-MaxChanges, list[:MaxChanges]
	}
	var hashes []string
	for _, e := range list {
		for _, hash := range []string{e.before, e.after} {
			if hash != "" {
				hashes = append(hashes, hash)
			}
		}
	}
	texts := map[string][]byte{}
	if len(hashes) > 0 {
		g, err := newGit(ctx, d.root, "cat-file", "--batch")
		if err != nil {
			return err
		}
		g.cmd.Stdin = &hashLines{hashes: hashes}
		out, err := g.start()
		if err != nil {
			return err
		}
		readErr := readObjects(bufio.NewReaderSize(out, 64<<10), texts)
		if err := errors.Join(g.wait(ctx), readErr); err != nil {
			return err
		}
	}
	for _, e := range list {
		e.change.Before, e.change.After = texts[e.before], texts[e.after]
		d.out.Files = append(d.out.Files, e.change)
	}
	return nil
}

// readObjects reads what git cat-file --batch prints: "hash type size", the object and a line end,
// or "hash missing".
func readObjects(r *bufio.Reader, texts map[string][]byte) error {
	for {
		head, err := r.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fields := strings.Fields(head)
		if len(fields) < 3 {
			continue
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return fmt.Errorf("git printed %.80q where an object should begin", head)
		}
		if size > maxChangedBytes {
			if _, err := io.CopyN(io.Discard, r, size); err != nil {
				return err
			}
		} else {
			text := make([]byte, size)
			if _, err := io.ReadFull(r, text); err != nil {
				return err
			}
			texts[fields[0]] = text
		}
		if _, err := r.Discard(1); err != nil {
			return err
		}
	}
}
