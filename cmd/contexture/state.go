package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

// perhapsCleaned describes the state after the daemon died during a clean.
const perhapsCleaned rest = "some indexes may have been removed; running the command again is safe"

func newState(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "List what is in the state directory, and remove unused indexes",
		Long: `What is in the state directory: an index for each workspace, and what is remembered of all of them.

An index may be removed at any time: it is rebuilt when it is needed. One whose workspace is gone is removed
30 days after its last use. Memory is never removed here; contexture memory forget removes some.`,
	}
	f.group(c, newStateList(f))
	f.add(c, newStateClean(f), perhapsCleaned)
	return c
}

// stateIndex is an index in the JSON of `contexture state`.
type stateIndex struct {
	Name      string    `json:"name"`
	Path      string    `json:"path"`
	Workspace string    `json:"workspace,omitempty"`
	Gone      bool      `json:"gone"`
	Open      bool      `json:"open"`
	Bytes     int64     `json:"bytes"`
	LastUsed  time.Time `json:"lastUsed"`
}

// stateList is the JSON of `contexture state list`.
type stateList struct {
	StateDir        string       `json:"stateDir"`
	Indexes         []stateIndex `json:"indexes"`
	MemoryBytes     int64        `json:"memoryBytes"`
	EmbeddingsBytes int64        `json:"embeddingsBytes"`
	LogBytes        int64        `json:"logBytes"`
}

func scriptIndexes(list []engine.StoredIndex) []stateIndex {
	out := make([]stateIndex, len(list))
	for i, s := range list {
		out[i] = stateIndex{s.Name, s.Dir, s.Root, s.Gone, s.Open, s.Bytes, s.LastUsed.UTC().Truncate(time.Second)}
	}
	return out
}

// withIndexes calls do with the indexes of the state directory.
func withIndexes(ctx context.Context, f *flags, do func(c *client, state string, list []engine.StoredIndex) error) (err error) {
	state, err := f.state()
	if err != nil {
		return err
	}
	c, err := f.connect(ctx, "", memoryAlone)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	list, err := asked[[]engine.StoredIndex](ctx, c, request.StateList, nil)
	if err != nil {
		return stopped(err)
	}
	return do(c, state, *list)
}

func newStateList(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the indexes by workspace, with their size and last use, and the size of memory",
		Args:  noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return withIndexes(c.Context(), f, func(_ *client, state string, list []engine.StoredIndex) error {
				out := stateList{
					StateDir: state, Indexes: scriptIndexes(list), MemoryBytes: diskBytes(filepath.Join(state, "memory")),
					EmbeddingsBytes: diskBytes(filepath.Join(state, "embeddings")), LogBytes: diskBytes(filepath.Join(state, "log")),
				}
				if asJSON {
					return printJSON(f.env.stdout, out)
				}
				return printState(f.env, out)
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the list as JSON")
	return c
}

// printState lists the contents of the state directory.
func printState(e *environment, s stateList) error {
	var rows [][]string
	gone := 0
	for _, x := range s.Indexes {
		if x.Gone {
			gone++
		}
		rows = append(rows, []string{"index", bytesText(x.Bytes), dateOf(x.LastUsed), indexName(e, x)})
	}
	rows = append(rows, []string{"memory", bytesText(s.MemoryBytes), "", "of all workspaces; contexture memory stats counts this one's"})
	if s.EmbeddingsBytes > 0 {
		rows = append(rows, []string{"vectors", bytesText(s.EmbeddingsBytes), "", "by the model server's model, of all workspaces"})
	}
	rows = append(rows, []string{"logs", bytesText(s.LogBytes), "", ""})
	if err := e.show(e.outPalette().bold(oneLine(e.tilde(s.StateDir), 0)) + "\n" + e.table("  ", rows, 1)); err != nil {
		return err
	}
	if gone > 0 {
		e.see("contexture state clean to remove the %s whose folder is gone", counted(gone, "index"))
	}
	return nil
}

// indexName returns the workspace of an index, with remarks on it.
func indexName(e *environment, x stateIndex) string {
	name := oneLine(e.tilde(x.Workspace), 0)
	if x.Workspace == "" {
		name = oneLine(x.Name, 0) + " (its workspace is not known: it was last used by an older version)"
	}
	switch {
	case x.Gone:
		name += " (the folder is gone)"
	case x.Open:
		name += " (in use)"
	}
	return name
}

// cleanFlags are the flags of `contexture state clean`.
type cleanFlags struct {
	unused              age
	all, dryRun, asJSON bool
}

func newStateClean(f *flags) *cobra.Command {
	var o cleanFlags
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove the indexes whose workspace is gone; never memory",
		Long: `Remove the indexes whose workspace is gone, those that were not used for a time with --unused, or all with --all. An
index that an editor or an assistant has open stays. A removed index is rebuilt when its workspace is used again.
Memory is never removed.`,
		Example: `  contexture state clean --dry-run
  contexture state clean --unused 90d`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return withIndexes(c.Context(), f, func(s *client, _ string, list []engine.StoredIndex) error { return o.run(c.Context(), f, s, list) })
		},
	}
	p := c.Flags()
	p.Var(&o.unused, "unused", "also remove indexes that were not used for this many days, such as `90d`")
	p.BoolVar(&o.all, "all", false, "remove all indexes that are not in use")
	p.BoolVar(&o.dryRun, "dry-run", false, "only list what would be removed")
	p.BoolVarP(&o.asJSON, "json", "j", false, "print what was removed as JSON")
	return c
}

// wants reports whether an index is to be removed.
func (o *cleanFlags) wants(s engine.StoredIndex) bool {
	return !s.Open && (o.all || s.Gone || o.unused > 0 && time.Since(s.LastUsed) > time.Duration(o.unused))
}

// age is the value of a flag, in days, "90d", or in smaller units.
type age time.Duration

func (a *age) Type() string { return "age" }

func (a *age) String() string {
	if *a == 0 {
		return ""
	}
	return time.Duration(*a).String()
}

// Set implements pflag.Value.
func (a *age) Set(text string) error {
	const most = 100 * 365
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil && n > most {
			err = strconv.ErrRange
		}
		d = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return errors.New("it must be a number of days, such as 90d")
	}
	*a = age(d)
	return nil
}

func (o *cleanFlags) run(ctx context.Context, f *flags, c *client, list []engine.StoredIndex) (err error) {
	removed := []engine.StoredIndex{}
	var bytes int64
	for _, s := range list {
		if !o.wants(s) {
			continue
		}
		if !o.dryRun {
			if failed := c.ask(ctx, request.StateRemove, &request.StateRemoveParams{Name: s.Name}, nil); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
		}
		removed, bytes = append(removed, s), bytes+s.Bytes
	}
	if o.asJSON {
		return errors.Join(err, printJSON(f.env.stdout, map[string]any{"removed": scriptIndexes(removed), "bytes": bytes, "dryRun": o.dryRun}))
	}
	rows := make([][]string, len(removed))
	for i, x := range scriptIndexes(removed) {
		rows[i] = []string{bytesText(x.Bytes), dateOf(x.LastUsed), indexName(f.env, x)}
	}
	did := "removed"
	if o.dryRun {
		did = "would remove"
	}
	f.env.hint("%s %s, %s", did, counted(len(removed), "index"), bytesText(bytes))
	return errors.Join(err, f.env.show(f.env.table("", rows, 0)))
}
