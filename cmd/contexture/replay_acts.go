package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/server/hosts"
)

// momentCount counts what hooks would have told at one kind of moment while assistants worked.
type momentCount struct {
	Moment string `json:"moment"`
	Times  int    `json:"times"` // that it came
	Told   int    `json:"told"`  // of these, how often something would have been told
	Given  int    `json:"given"` // tokens
}

// actReplay is what a hook would have told at one.
type actReplay struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
	Moment       string `json:"moment"`
	About        string `json:"about"` // the file, or the end of what the failed command printed
	Text         string `json:"text"`
}

// acts asks for what hooks would have told before each edit and after each failed command that
// followed a prompt.
func (r *replay) acts(ctx context.Context, h *hooked, p sessionPrompt, out *replayResult) error {
	ask := func(about string) error {
		h.begun = time.Now()
		h.until = h.begun.Add(replayTime)
		text, err := h.act(ctx, r.w.session)
		if err != nil {
			return fmt.Errorf("an act in %s of %s: %w", p.chat.Turns[p.turn].TurnID, p.chat.ID, err)
		}
		out.act(actReplay{p.chat.ID, p.chat.Turns[p.turn].TurnID, h.event.Moment(), about, text})
		return nil
	}
	for _, m := range p.after {
		for _, c := range m.ToolCalls {
			did := c.Deed()
			for _, f := range did.Changed {
				if h.event.File = r.inTree(f); h.event.File == "" {
					continue
				}
				h.event.Kind = hosts.Editing
				if err := ask(f); err != nil {
					return err
				}
			}
			if did.Command == "" || !c.IsError {
				continue
			}
			if json.Unmarshal(c.Result, &h.event.Output) != nil {
				h.event.Output = string(c.Result)
			}
			h.event.Kind, h.event.Command = hosts.Failed, did.Command
			if strings.TrimSpace(h.event.Output) == "" {
				continue
			}
			if err := ask(lastLine(h.event.Output)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTree returns the path in the tree of a file that a session names, "" for one outside.
func (r *replay) inTree(file string) string {
	if rel, ok := strings.CutPrefix(file, r.root+"/"); ok {
		file = rel
	}
	if file = filepath.FromSlash(file); !filepath.IsLocal(file) {
		return ""
	}
	return filepath.Join(r.tree.dir, file)
}

// act counts an act, and keeps it if something would have been told.
func (out *replayResult) act(a actReplay) {
	at := -1
	for i := range out.Moments {
		if out.Moments[i].Moment == a.Moment {
			at = i
		}
	}
	if at < 0 {
		at = len(out.Moments)
		out.Moments = append(out.Moments, momentCount{Moment: a.Moment})
	}
	m := &out.Moments[at]
	m.Times++
	if a.Text != "" {
		m.Told++
		m.Given += len(a.Text) / 4
		out.Acts = append(out.Acts, a)
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return oneLine(text[strings.LastIndexByte(text, '\n')+1:], 200)
}
