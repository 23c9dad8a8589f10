package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
	"github.com/contexture-dev/contexture/server/settings"
)

// Limits on the time for querying the model server. A server that does not return its version
// within the first is not queried further; all queries together, which may have to wait until a
// model is loaded, end after the second.
const (
	versionPatience = 2 * time.Second
	modelPatience   = 8 * time.Second
)

// modelServerCheck is the name of the findings about the server itself.
const modelServerCheck = "model server"

// modelReport is the part of `contexture doctor --json` about the model server.
type modelReport struct {
	Server  string         `json:"server"`
	Version string         `json:"version,omitempty"`
	Models  []modelSummary `json:"models"`
	// Embed and Chat are the models in use; absent if there is none.
	Embed *embedReport `json:"embed,omitempty"`
	Chat  *chatReport  `json:"chat,omitempty"`
}

// modelSummary is one installed model.
type modelSummary struct {
	Name       string `json:"name"`
	Family     string `json:"family,omitempty"`
	Parameters int64  `json:"parameters,omitempty"`
	Embeds     bool   `json:"embeds"`
	Chats      bool   `json:"chats"`
	// Remote is where the model runs, if not on the server. Such a model is never used.
	Remote string `json:"remote,omitempty"`
}

// modelDoctor checks one model server.
type modelDoctor struct {
	*patient
	set    settings.Ollama
	named  string // what named the server, such as "OLLAMA_HOST"; "" for the default
	client *ollama.Client
	report *modelReport
}

// wanted reports whether a model server or a model was configured: then its absence is worth a
// warning.
func (d *modelDoctor) wanted() bool {
	return d.named != "" || d.set.EmbedModel != "" || d.set.ChatModel != ""
}

// lacking returns the severity of a missing server or model.
func (d *modelDoctor) lacking() severity {
	if d.wanted() {
		return warning
	}
	return fine
}

// checkModel checks which models the model server has and how well it works, if it may be queried,
// and lists every address to which the program may connect.
func (p *patient) checkModel(ctx context.Context) {
	set := p.place.settings
	if set.Budget.Default == 0 { // the workspace could not be examined
		set = settings.Defaults()
	}
	if p.f.offline {
		p.add(modelServerCheck, fine, "not asked: --offline", "")
	} else {
		p.checkServer(ctx, set)
	}
	p.checkMetrics(ctx, set.Metrics.Listen)
}

func (p *patient) checkServer(ctx context.Context, set settings.Settings) {
	d := &modelDoctor{patient: p, set: set.Ollama}
	env := p.f.env.getenv("OLLAMA_HOST")
	switch {
	case set.Ollama.URL != "":
		d.named = "ollama.url in " + set.Source("ollama.url")
	case env != "":
		d.named = "OLLAMA_HOST"
	}
	host := "" // that of another machine
	client, err := ollama.New(ollama.Options{URL: set.Ollama.URL, Env: env, Allow: func(h string) bool { host = h; return true }})
	if err != nil {
		p.add(modelServerCheck, warning, plain(err), "give it as http://HOST:PORT")
		return
	}
	defer client.Close()
	d.client = client
	d.report = &modelReport{Server: strings.TrimSuffix(client.Address(), "/"), Models: []modelSummary{}}
	p.Model = d.report
	if host != "" && !set.Ollama.Allows(host) {
		p.endpoint(d.report.Server, "model server", "not asked")
		p.add(modelServerCheck, warning, fmt.Sprintf("%s (%s) is another machine and is not asked", d.report.Server, d.named),
			fmt.Sprintf("allow it with ollama.allowRemote = [%q] in your own settings, or name one on this machine", host))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, modelPatience)
	defer cancel()
	if d.askVersion(ctx) {
		d.askModels(ctx)
	}
}

// askVersion reports whether a model server answers.
func (d *modelDoctor) askVersion(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	version, err := d.client.Version(ctx)
	where := d.report.Server
	if err == nil && version == "" {
		err = errors.New("it is not a model server: its answer has no version")
	}
	if err == nil {
		d.report.Version = oneLine(version, 40)
		d.endpoint(where, "model server", "reachable")
		d.add(modelServerCheck, fine, fmt.Sprintf("%s answers, version %s", where, d.report.Version), "")
		return true
	}
	if ollama.KindOf(err) == ollama.Unreachable && !d.wanted() {
		d.endpoint(where, "model server, when one runs", "unreachable")
		d.add(modelServerCheck, fine, fmt.Sprintf("none at %s, and none is needed: the built-in embedder is used", where), "")
		return false
	}
	by := d.named
	if by == "" {
		by = "the usual address"
	}
	state, does := "unreachable", "does not answer"
	if kind := ollama.KindOf(err); kind != ollama.Unreachable && kind != ollama.Timeout {
		state, does = "reachable", "does not answer as a model server"
	}
	d.endpoint(where, "model server", state)
	d.add(modelServerCheck, d.lacking(), fmt.Sprintf("%s (%s) %s: %s; the built-in embedder is used", where, by, does, plain(err)), startIt(err, d.named))
	return false
}

// startIt returns what to do about a server that returns no version.
func startIt(err error, named string) string {
	switch ollama.KindOf(err) {
	case ollama.Unreachable:
		if named == "" {
			return "start it with: ollama serve"
		}
		return "start it with: ollama serve, or fix " + named + "; everything works without one"
	case ollama.Timeout, ollama.Overloaded:
		return "restart it if this continues; everything works without one"
	}
	return "check whether something else listens there; ollama.url sets another address"
}

// askModels lists the installed models, chooses as the program does, and tries the chosen ones.
func (d *modelDoctor) askModels(ctx context.Context) {
	const check = "models"
	models, err := d.client.Models(ctx)
	if err != nil {
		d.add(check, d.lacking(), "they cannot be listed: "+plain(err), "list them with: ollama list")
		return
	}
	var names, away []string
	for _, m := range models {
		d.report.Models = append(d.report.Models, modelSummary{m.Name, m.Family, m.Parameters, m.Embeds, m.Chats, m.Remote})
		if m.Remote != "" {
			away = append(away, fmt.Sprintf("%s (%s)", m.Name, m.Remote))
			continue
		}
		names = append(names, m.Name)
	}
	if len(names) == 0 {
		d.add(check, fine, "none is installed", "")
	} else {
		d.add(check, fine, fmt.Sprintf("%s: %s", counted(len(names), "model"), strings.Join(names, ", ")), "")
	}
	if len(away) > 0 {
		d.add(check, fine, "refused, since texts would leave the server: "+strings.Join(away, ", "), "")
	}
	d.checkEmbed(ctx, models)
	d.checkChat(ctx, models)
}

func (p *patient) endpoint(address, use, state string) {
	p.Endpoints = append(p.Endpoints, endpoint{address, use, state})
}

// plain returns the text of a client's error for a finding, which already names the request.
func plain(err error) string {
	var e *ollama.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Detail == "" {
		return e.Kind.String()
	}
	detail, _, _ := strings.Cut(e.Detail, "; start Ollama") // the finding has its own action
	return detail
}
