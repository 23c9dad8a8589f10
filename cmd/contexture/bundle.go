package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/request"
	"github.com/spf13/cobra"
)

// bundleFlags are the flags of `contexture bundle`.
type bundleFlags struct {
	budget                              int
	encoding, order, depth, frame, fill string
	exclude                             []string
	deadline                            time.Duration
	conversation, format                string
	asJSON, explain, noWait             bool
	deliver                             delivery
}

// formats are the values of --format.
var formats = []string{"text", "markdown", "xml", "json"}

// bundleNames maps each field of command.BundleArgs that the command line can set to its flag or
// argument.
var bundleNames = map[string]string{
	"prompt": "PROMPT", "budget": "--budget", "encoding": "--encoding", "order": "--order", "knowledgeDepth": "--depth",
	"frame": "--frame", "fill": "--fill", "conversationId": "--conversation", "exclude": "--exclude", "deadlineMs": "--deadline",
}

func newBundle(f *flags) (*cobra.Command, *delivery) {
	b := bundleFlags{deliver: delivery{env: f.env}}
	c := &cobra.Command{
		Use:   "bundle [flags] PROMPT…",
		Short: "Print the context for a prompt; indexes first when needed",
		Long: `Print the context for a prompt: the code and documents of the workspace that it is about, under a token budget,
and the prompt itself. The workspace is indexed first when needed. PROMPT "-" reads standard input.

The text goes to standard output, to FILE or to the clipboard, everything else to standard error.`,
		Example: `  contexture bundle "where are retries handled?"
  contexture bundle -b 4000 --explain "what does Store.Open do when the disk is full?"
  contexture bundle --format markdown --copy "where are retries handled?"
  git diff | contexture bundle -`,
		Args: someWords(`"where are retries handled?"`),
		RunE: func(c *cobra.Command, words []string) error { return b.run(c, f, words) },
	}
	o := c.Flags()
	b.deliver.flags(o)
	o.StringVar(&b.conversation, "conversation", "", "the conversation that the prompt continues, by its `ID` or the beginning of it; contexture chats list prints the ids")
	o.StringVar(&b.format, "format", "text", "`FORMAT` of the result: text, as assistants get it; markdown, for a chat; xml, well-formed; json, as --json")
	o.IntVarP(&b.budget, "budget", "b", 0, "tokens that the text may have (default: the setting budget.default, 12000)")
	o.StringVar(&b.encoding, "encoding", "", "the `ENCODING` by which tokens are counted: o200k_base or cl100k_base")
	o.StringVar(&b.order, "order", "", "`ORDER` of the parts: cache, what is stable first; primed, memory before history")
	o.StringVar(&b.depth, "depth", "", "how much to tell of topics and entities, a `DEPTH`: minimal, standard or deep")
	o.StringVar(&b.frame, "frame", "", "what the prompt is, a `FRAME`: conversation, question, task, decision, creative or debug (default: read from the prompt)")
	o.StringVar(&b.fill, "fill", "", "where the bundle ends, a `FILL`: relevant, where help ends (the default), or full, where the budget does")
	o.StringArrayVar(&b.exclude, "exclude", nil, "`GLOB` of paths to leave out; may be repeated")
	o.DurationVar(&b.deadline, "deadline", patience, "time for the answer once the index is ready")
	o.BoolVarP(&b.asJSON, "json", "j", false, "print the result of contexture.bundle, with path and line (from 1) beside each URI and range")
	o.BoolVarP(&b.explain, "explain", "e", false, "show on standard error what was chosen and why")
	o.BoolVar(&b.noWait, "no-wait", false, "answer with what is indexed now")
	f.completesFlag(c, "conversation", chatIDs)
	completesNames(f, c)
	completes(c, "format", formats...)
	completes(c, "encoding", "o200k_base", "cl100k_base")
	completes(c, "order", "cache", "primed")
	completes(c, "fill", "relevant", "full")
	completes(c, "depth", "minimal", "standard", "deep")
	completes(c, "frame", "conversation", "question", "task", "decision", "creative", "debug")
	return c, &b.deliver
}

// args returns the arguments of contexture.bundle. Flags that were not set, but for the deadline,
// are left to the settings.
func (b *bundleFlags) args(c *cobra.Command, prompt string) map[string]any {
	args := map[string]any{"prompt": prompt, "deadlineMs": b.deadline.Milliseconds()}
	for flag, set := range map[string]func(){
		"budget":   func() { args["budget"] = b.budget },
		"encoding": func() { args["encoding"] = b.encoding },
		"order":    func() { args["order"] = b.order },
		"depth":    func() { args["knowledgeDepth"] = b.depth },
		"frame":    func() { args["frame"] = b.frame },
		"fill":     func() { args["fill"] = b.fill },
		"exclude":  func() { args["exclude"] = b.exclude },
	} {
		if c.Flags().Changed(flag) {
			set()
		}
	}
	return args
}

func (b *bundleFlags) run(c *cobra.Command, f *flags, words []string) (err error) {
	prompt, err := f.env.readWords(c.Context(), "PROMPT", words)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped")
	}
	if err != nil {
		return err
	}
	if !slices.Contains(formats, b.format) {
		return usage("--format=%s is not one of: %s", b.format, strings.Join(formats, ", "))
	}
	if b.asJSON && c.Flags().Changed("format") && b.format != "json" {
		return usage("--json and --format=%s are two formats; give one", b.format)
	}
	if b.asJSON {
		b.format = "json"
	}
	args := b.args(c, prompt)
	var decoded command.BundleArgs
	if err := check(args, &decoded, bundleNames); err != nil {
		return err
	}
	ctx := c.Context()
	w, err := b.open(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if b.conversation != "" {
		if args["conversationId"], err = w.chatNamed(ctx, b.conversation); err != nil {
			return err
		}
	}
	if _, err := w.index(ctx); err != nil {
		return err
	}
	if !b.noWait && mayFit(&decoded, w.about) {
		if err := w.upToDate(ctx); err != nil {
			return err
		}
	}
	return b.answer(ctx, f, w, args)
}

// open begins the session, with memory if the flags name a conversation.
func (b *bundleFlags) open(ctx context.Context, f *flags) (*workspace, error) {
	if b.conversation == "" {
		return f.open(ctx)
	}
	root, err := f.folder()
	if err != nil {
		return nil, err
	}
	return f.begin(ctx, root, withCode)
}

// answer requests the bundle and prints it.
func (b *bundleFlags) answer(ctx context.Context, f *flags, w *workspace, args map[string]any) error {
	start := f.env.clock()
	result, err := call[command.BundleResult](ctx, w.client, "contexture.bundle", args)
	took := f.env.clock().Sub(start)
	if err != nil {
		return bundleRefusal(err)
	}
	if err := b.print(f, w, result); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	if b.explain {
		if err := w.explainBundle(result); err != nil {
			return err
		}
	}
	if b.format == "json" && !b.explain {
		return nil // a script reads this; the result lists its degradations
	}
	return w.summarize(result, took)
}

// print writes the bundle in the requested format.
func (b *bundleFlags) print(f *flags, w *workspace, r *command.BundleResult) error {
	switch b.format {
	case "json":
		return printJSON(f.env.stdout, bundleOutput{r, scriptItems(w, r.Items)})
	case "markdown":
		return printMarkdown(f.env.stdout, w, r)
	case "xml":
		return printXML(f.env.stdout, w, r)
	}
	_, err := io.WriteString(f.env.stdout, ended(r.Text))
	return err
}

// ended returns text with a line break at its end.
func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// readWords returns the words of an argument joined, or standard input for "-". name is the
// argument's name.
func (e *environment) readWords(ctx context.Context, name string, words []string) (string, error) {
	text := strings.Join(words, " ")
	if text == "-" {
		const most = 1 << 20 // the limit of a prompt; one byte more shows that it is exceeded
		data, err := e.read(ctx, most+1)
		if err != nil {
			return "", fmt.Errorf("read %s: %w", strings.ToLower(name), err)
		}
		if len(data) == 0 {
			return "", usage("%s: standard input is empty", name)
		}
		text = string(data)
	}
	if text == "" {
		return "", usage("%s: is empty", name)
	}
	if len(text) <= 1<<20 && !utf8.ValidString(text) {
		return "", usage("%s: is not UTF-8 text", name)
	}
	return text, nil
}

// mayFit reports whether the prompt may fit into the budget. A prompt that cannot is answered
// without an index.
func mayFit(a *command.BundleArgs, about *request.WorkspaceResult) bool {
	budget, encoding := a.Budget, a.Encoding
	if budget == 0 {
		budget = about.Budget
	}
	if encoding == "" {
		encoding = about.Encoding
	}
	if len(a.Prompt) <= budget { // a token has at least one byte, and loading an encoding is slow
		return true
	}
	parsed, err := tokens.Parse(encoding)
	if err != nil {
		return true
	}
	counter, err := tokens.For(parsed)
	return err != nil || counter.Count(a.Prompt) <= budget
}

// bundleRefusal returns err with advice on what to do about a bundle that was not made.
func bundleRefusal(err error) error {
	var e *command.Error
	if errors.As(err, &e) && e != nil && e.DataCode == command.DataPromptExceedsBudget {
		return fmt.Errorf("%w; give at least that with --budget, or shorten the prompt", err)
	}
	if errors.As(err, &e) && e != nil && e.Code == command.CodeRequestCancelled {
		return errors.New("stopped")
	}
	return refusal(err, bundleNames)
}
