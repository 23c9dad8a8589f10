package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

// mostCompleted is the maximum number of conversations to complete from, the latest, and of names.
const mostCompleted = 200

// idList lists the ids that an argument may have, each with what it names.
type idList func(ctx context.Context, w *workspace) ([]cobra.Completion, error)

// completesID completes the first argument of c from list, and no other argument.
func (f *flags) completesID(c *cobra.Command, list idList) *cobra.Command {
	complete := f.completion(list)
	c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, begun)
	}
	return c
}

// completesFlag completes the value of a flag of c from list.
func (f *flags) completesFlag(c *cobra.Command, flag string, list idList) {
	if err := c.RegisterFlagCompletionFunc(flag, f.completion(list)); err != nil {
		panic(err) // see completes
	}
}

// completion returns the function that a shell's completion calls: the ids that begin with what is
// typed, in the order of list.
func (f *flags) completion(list idList) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		all := completed(c, f, func(ctx context.Context) (all []cobra.Completion, err error) {
			err = f.recollect(ctx, memoryAlone, func(w *workspace) (err error) {
				all, err = list(ctx, w)
				return err
			})
			return all, err
		})
		for _, it := range all {
			if strings.HasPrefix(it, begun) {
				found = append(found, it)
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completed returns what find finds in time. Whatever fails, and where nothing is stored yet, that
// is nothing, and nothing is written: the person is in the middle of a line.
func completed(c *cobra.Command, f *flags, find func(ctx context.Context) ([]cobra.Completion, error)) []cobra.Completion {
	state, err := f.state()
	if err != nil || !isFolder(state) {
		return nil
	}
	ctx := c.Context()
	if f.env.completeWithin > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.env.completeWithin)
		defer cancel()
	}
	f.env.stderr = io.Discard
	found, err := find(ctx)
	if err != nil {
		return nil
	}
	return found
}

// completesNames completes each argument of c from the names that the workspace defines, where a
// daemon runs: opening an index would take too long. Without one, the shell completes files.
func completesNames(f *flags, c *cobra.Command) {
	c.ValidArgsFunction = func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if begun == "" {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completed(c, f, func(ctx context.Context) ([]cobra.Completion, error) { return namesFrom(ctx, f, begun) }), cobra.ShellCompDirectiveDefault
	}
}

// namesFrom lists names of the workspace, each with one of its definitions.
func namesFrom(ctx context.Context, f *flags, begun string) (out []cobra.Completion, err error) {
	root, err := f.workspace()
	if err != nil {
		return nil, err
	}
	w, err := f.about(ctx, root, ifServed, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if !w.about.Indexed || !w.about.HasIndex {
		return nil, nil
	}
	list, err := asked[request.IndexNamesResult](ctx, w.client, request.IndexNames, &request.IndexNamesParams{Begins: begun, Limit: mostCompleted})
	if err != nil {
		return nil, err
	}
	for _, it := range list.Names {
		out = append(out, cobra.CompletionWithDesc(it.Name, oneLine(it.Kind+" in "+it.Path, 60)))
	}
	return out, nil
}

// chatIDs lists the conversations, the latest first.
func chatIDs(ctx context.Context, w *workspace) (out []cobra.Completion, err error) {
	list, err := call[command.ListResult](ctx, w.client, "contexture.conversation.list", map[string]any{"limit": mostCompleted})
	if err != nil {
		return nil, err
	}
	for _, talk := range list.Conversations {
		out = append(out, cobra.CompletionWithDesc(talk.ID, oneLine(talk.Title, 60)))
	}
	return out, nil
}

// ruleIDs returns the list of the rules in some states.
func ruleIDs(states ...string) idList {
	return func(ctx context.Context, w *workspace) (out []cobra.Completion, err error) {
		rules, err := rulesOf(ctx, w)
		if err != nil {
			return nil, err
		}
		for _, it := range rules {
			for _, state := range states {
				if it.State == state {
					out = append(out, cobra.CompletionWithDesc(it.ID, oneLine(wordsOf(it.Content), 60)))
				}
			}
		}
		return out, nil
	}
}
