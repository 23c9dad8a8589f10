package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/spf13/cobra"
)

// perhapsSteered describes the state after the daemon died while a topic or an entity was being
// changed.
const perhapsSteered rest = "it may have been changed or not; running the command again is safe"

func newKnowledge(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "knowledge",
		Short: "List, show and change the topics, entities and episodes that were learned from conversations",
		Long: `The topics that conversations are about, and the people, services, tables, tickets, projects, flags and hosts that they
speak of by name, each with quotations about it.

The offline learning finds them: twice a day while the computer is idle and on mains power, after large imports, and
by contexture knowledge process. What you rename, merge, pin or forget stays so.

NAME is a label as contexture knowledge topics and entities write it, another name of the same, or an id.`,
	}
	f.group(c, newKnowledgeStatus(f), newKnowledgeTopics(f), newKnowledgeEntities(f), newKnowledgeEpisodes(f), newKnowledgeShow(f), newKnowledgeWorkspace(f), newKnowledgeDigest(f),
		newKnowledgeReferences(f), newKnowledgeRecommendations(f))
	f.add(c, newKnowledgeProcess(f), perhapsSteered)
	f.add(c, newKnowledgeReset(f), perhapsSteered)
	for _, act := range []struct{ use, act, short, example string }{
		{"rename NAME LABEL", "rename", "Give a topic or an entity another label", `contexture knowledge rename zorbex "parcel routing"`},
		{"merge NAME INTO", "merge", "Make a topic or an entity a part of another", "contexture knowledge merge Bob bob.meyer@example.org"},
		{"pin NAME", "pin", "List a topic or an entity first, and keep it", "contexture knowledge pin quaymaster"},
		{"unpin NAME", "unpin", "Undo pin", "contexture knowledge unpin quaymaster"},
		{"forget NAME", "forget", "Remove a topic or an entity, so that it is not found again", "contexture knowledge forget Friday"},
	} {
		f.add(c, newSteer(f, act.use, act.act, act.short, act.example), perhapsSteered)
	}
	return c
}

func newKnowledgeStatus(f *flags) *cobra.Command {
	status := report[command.LearningStatus]{request: "contexture.knowledge.status", print: func(e *environment, st *command.LearningStatus) error {
		return e.show(e.table("", learningRows(st)))
	}}
	return status.command(f, &cobra.Command{
		Use:     "status",
		Short:   "Show when the offline learning last ran, what changed, and what it waits for",
		Example: "  contexture knowledge status",
	})
}

func entityCount(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return strconv.Itoa(n) + " entities"
}

func newKnowledgeTopics(f *flags) *cobra.Command {
	topics := report[command.TopicsResult]{request: "contexture.knowledge.topics", print: func(e *environment, list *command.TopicsResult) error {
		var rows [][]string
		for _, t := range list.Topics {
			rows = append(rows, subject{t.Topic, "", t.Weight, t.Trend, t.TurnCount, t.LastEngagedAt.Time, t.Names}.row())
		}
		return printSubjects(e, rows)
	}}
	return topics.command(f, &cobra.Command{
		Use:     "topics",
		Short:   "List topics: label, weight, trend, turns, last day, words that go with it",
		Example: "  contexture knowledge topics",
	})
}

func newKnowledgeEntities(f *flags) *cobra.Command {
	var kind string
	entities := report[command.EntitiesResult]{"contexture.knowledge.entities", func() (map[string]any, error) {
		args := map[string]any{}
		if kind != "" {
			args["kind"] = kind
		}
		return args, check(args, &command.EntitiesArgs{}, map[string]string{"kind": "--kind"})
	}, func(e *environment, list *command.EntitiesResult) error {
		var rows [][]string
		for _, e := range list.Entities {
			rows = append(rows, subject{e.Name, e.Kind, e.Weight, e.Trend, e.TurnCount, e.LastEngagedAt.Time, e.Names}.row())
		}
		return printSubjects(e, rows)
	}}
	c := entities.command(f, &cobra.Command{
		Use:     "entities",
		Short:   "List entities: name, kind, weight, trend, turns, last day, other names",
		Example: "  contexture knowledge entities --kind person",
	})
	c.Flags().StringVar(&kind, "kind", "", "only those of this KIND: person, service, table, ticket, project, flag, host or name")
	completes(c, "kind", "person", "service", "table", "ticket", "project", "flag", "host", "name")
	return c
}

// subject is a topic or an entity as a line of a list.
type subject struct {
	label, kind string // kind is "" for a topic
	weight      float64
	trend       string
	turns       int
	last        time.Time
	names       []string
}

func (s subject) row() []string {
	row := []string{oneLine(s.label, 60)}
	if s.kind != "" {
		row = append(row, s.kind)
	}
	return append(row, strconv.FormatFloat(s.weight, 'f', 2, 64), s.trend, counted(s.turns, "turn"), dateOf(s.last), oneLine(strings.Join(s.names, ", "), 80))
}

func printSubjects(e *environment, rows [][]string) error {
	if len(rows) == 0 {
		e.hint("nobody has called anything by name in several turns of this workspace yet")
		return nil
	}
	return e.show(e.table("", rows))
}

func newKnowledgeShow(f *flags) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show what is known of a topic or an entity: quotations, and what goes with it",
		Example: "  contexture knowledge show quaymaster",
		Args:    exactlyOne,
		RunE: func(c *cobra.Command, args []string) error {
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				id, err := subjectID(c.Context(), w, args[0], "")
				if err != nil {
					return err
				}
				p, err := call[command.ProfileResult](c.Context(), w.client, "contexture.knowledge.profile", map[string]any{"id": id})
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, p)
				}
				return printProfile(f.env, &p.Profile)
			})
		},
	}
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.profile")
	return c
}

func printProfile(e *environment, p *command.Profile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s to %s\n", oneLine(p.Label, 100), p.Kind, counted(p.TurnCount, "turn"), dateOf(p.FirstAt.Time), dateOf(p.LastEngagedAt.Time))
	for _, row := range []struct {
		name string
		list []string
	}{{"also", p.Names}, {"with", p.Related}, {"files", p.Files}} {
		if len(row.list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", row.name, oneLine(strings.Join(row.list, ", "), 160))
		}
	}
	var rows [][]string
	for _, st := range p.Statements {
		rows = append(rows, []string{st.Part, dayOf(st.Quotation.At), oneLine(st.Quotation.ConversationID, 40) + " " + st.Quotation.TurnID, oneLine(st.Quotation.Text, 200)})
	}
	return e.show(b.String() + e.table("", rows))
}

// subjectID finds a topic or an entity by its id, its label or another name of an entity. like is
// the id of a topic or entity whose kind it must share; "" accepts both kinds.
func subjectID(ctx context.Context, w *workspace, name, like string) (string, error) {
	topics, err := call[command.TopicsResult](ctx, w.client, "contexture.knowledge.topics", map[string]any{})
	if err != nil {
		return "", stopped(err)
	}
	entities, err := call[command.EntitiesResult](ctx, w.client, "contexture.knowledge.entities", map[string]any{})
	if err != nil {
		return "", stopped(err)
	}
	switch {
	case strings.HasPrefix(like, "topic-"):
		entities.Entities = nil
	case like != "":
		topics.Topics = nil
	}
	other := ""
	for _, e := range entities.Entities {
		if e.ID == name || strings.EqualFold(e.Name, name) {
			return e.ID, nil
		}
		if slices.ContainsFunc(e.Names, func(n string) bool { return strings.EqualFold(n, name) }) {
			other = e.ID
		}
	}
	for _, t := range topics.Topics {
		if t.ID == name || strings.EqualFold(t.Topic, name) {
			return t.ID, nil
		}
	}
	if other == "" {
		return "", fmt.Errorf("%q is no topic and no entity; contexture knowledge topics and contexture knowledge entities list them", name)
	}
	return other, nil
}

func newKnowledgeProcess(f *flags) *cobra.Command {
	var full, asJSON bool
	c := &cobra.Command{
		Use:     "process",
		Short:   "Run the offline learning now",
		Example: "  contexture knowledge process",
		Args:    noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.recollect(c.Context(), memoryFirst, func(w *workspace) error {
				if err := w.documents(c.Context()); err != nil {
					return err
				}
				shown := w.showLearning(c.Context())
				done, err := call[command.ProcessResult](c.Context(), w.client, "contexture.knowledge.process", map[string]any{"full": full})
				shown()
				if err != nil {
					return stopped(err)
				}
				if asJSON {
					return printJSON(f.env.stdout, done)
				}
				_, err = fmt.Fprintf(f.env.stdout, "%s, %s, %s, %s\n", counted(done.Topics, "topic"), entityCount(done.Entities),
					counted(done.Lessons, "lesson"), counted(done.References, "reference"))
				return err
			})
		},
	}
	c.Flags().BoolVar(&full, "full", false, "read all conversations again, not only new ones")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print the result of contexture.knowledge.process")
	return c
}

// documents brings an existing index up to date: without it references would quote no documents.
func (w *workspace) documents(ctx context.Context) error {
	if !w.about.Indexed {
		return nil
	}
	_, err := w.index(ctx)
	if err == nil {
		err = w.upToDate(ctx)
	}
	return err
}

// newSteer returns a command that changes a topic or an entity.
func newSteer(f *flags, use, act, short, example string) *cobra.Command {
	words := strings.Count(use, " ")
	return &cobra.Command{
		Use: use, Short: short, Example: "  " + example,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != words {
				return usage("contexture knowledge %s, but was given %s; see contexture knowledge %s --help", use, counted(len(args), "argument"), act)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return f.recollect(c.Context(), memoryAlone, func(w *workspace) error {
				id, err := subjectID(c.Context(), w, args[0], "")
				if err != nil {
					return err
				}
				wish := map[string]any{"id": id, "act": act}
				switch act {
				case "rename":
					wish["label"] = args[1]
				case "merge":
					if wish["into"], err = subjectID(c.Context(), w, args[1], id); err != nil {
						return err
					}
				}
				if err := check(wish, &command.SteerArgs{}, map[string]string{"label": "LABEL", "id": "NAME", "into": "INTO"}); err != nil {
					return err
				}
				_, err = call[command.SteerResult](c.Context(), w.client, "contexture.knowledge.steer", wish)
				return stopped(err)
			})
		},
	}
}
