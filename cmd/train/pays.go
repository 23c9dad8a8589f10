package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// worked is a prompt of a recorded session, with what was said and done before it and what the
// assistant then looked up.
type worked struct {
	ID      string `json:"id"`
	Repo    string `json:"repo"`
	Base    string `json:"base_commit"`
	Session string `json:"session"`
	Prompt  string `json:"prompt"`
	Agents  int    `json:"agents"`
	Git     int    `json:"git"`
	Looks   []struct {
		Kind        string // read, grep or list
		Tokens      int    // of its result
		Before, Sub bool   // before the first edit; by a sub-agent
		Ranges      []fileRange
	} `json:"looks"`
	Edits []struct {
		Path string
		New  bool
	} `json:"edits"`
	History []struct {
		Role, Text, Call string
		Paths            []string
	} `json:"history"`
}

// lastTurns is how many of the newest turns add their words, as in a bundle.
const lastTurns = 3

// request returns the search for the prompt within its conversation.
func (w *worked) request() retrieve.Request {
	req := retrieve.Request{Query: w.Prompt, Intent: intent.Classify(w.Prompt, intent.Context{}), Limit: 300, Deadline: time.Minute}
	turn, said := 0, map[int]string{}
	at := map[string]int{} // the last turn of a file
	for _, h := range w.History {
		if h.Call == "" {
			req.Messages++
			if h.Role == "user" {
				turn++
			}
			said[turn] += h.Text + "\n"
		}
		for _, p := range h.Paths {
			at[p] = turn
		}
	}
	for k := turn; k > turn-lastTurns && k >= 0; k-- {
		if said[k] != "" {
			req.Said = append(req.Said, said[k])
		}
	}
	for p, n := range at {
		req.Recent = append(req.Recent, retrieve.Recent{Path: p, Turn: n})
	}
	slices.SortFunc(req.Recent, func(a, b retrieve.Recent) int { return cmp.Or(b.Turn-a.Turn, strings.Compare(a.Path, b.Path)) })
	return req
}

// spared returns how many of the searches before the first edit led to a file that is named, and
// the tokens of their results.
func (w *worked) spared(named map[string]bool) (searches, tokens int) {
	for i, l := range w.Looks {
		if !l.Before || l.Sub || l.Kind == "read" {
			continue
		}
		next := ""
		for _, o := range w.Looks[i+1:] {
			if o.Before && !o.Sub && o.Kind == "read" && len(o.Ranges) > 0 {
				next = o.Ranges[0].path
				break
			}
		}
		for _, e := range w.Edits {
			if next == "" && !e.New {
				next = e.Path
			}
		}
		if named[next] {
			searches, tokens = searches+1, tokens+l.Tokens
		}
	}
	return searches, tokens
}

// isChat reports whether the assistant neither looked anything up nor edited anything.
func (w *worked) isChat() bool { return len(w.Looks)+len(w.Edits)+w.Agents+w.Git == 0 }

// naming is what the names of places for a prompt cost and spare.
type naming struct {
	session, repo           string
	inputs                  [retrieve.NumPays]float64
	given, searches, tokens int
	chat, elsewhere         bool
}

// trainPays fits the probability that the names of places pay.
func trainPays(args []string) error {
	fs := flag.NewFlagSet("train pays", flag.ContinueOnError)
	set := fs.String("set", "", "the `file` with prompts of recorded sessions and what was looked up for them")
	mirrors := fs.String("mirrors", "", "the `folder` with the sessions' repositories, bare: owner+name/repo")
	work := fs.String("work", "", "a `folder` for checkouts and indexes")
	out := fs.String("out", "context/retrieve/pays.json", "the `file` to write")
	dry := fs.Bool("dry-run", false, "report only, write nothing")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *set == "" || *work == "" {
		return errors.New("pays needs -set and -work")
	}
	rows, err := readRows[worked](*set)
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b worked) int { return strings.Compare(a.Repo, b.Repo) })
	c := &collection{mirrors: *mirrors, work: *work}
	var all []naming
	for _, w := range rows {
		dir, err := c.checkout(w.Repo, w.Base)
		if err != nil {
			return err
		}
		s, done, err := c.index(context.Background(), dir, "pays-"+strings.ReplaceAll(w.Repo, "/", "+"))
		if err != nil {
			return err
		}
		all = append(all, name(s, &w))
		done()
	}
	m := fitPays(all)
	m.About = fmt.Sprintf("go run ./cmd/train pays; %d prompts of %s", len(all), strings.SplitN(filepath.Base(*set), ".", 2)[0])
	for i, w := range m.Weights {
		fmt.Printf("%-12s %7.3f\n", retrieve.PaysNames[i], w)
	}
	m.Curve = paysCurve(all)
	if *dry {
		return nil
	}
	b, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(b, '\n'), 0o644)
}

// name returns what the names of the best places for a prompt cost and spare.
func name(s *indexer.Snapshot, w *worked) naming {
	res, inputs := retrieve.ObservePays(context.Background(), s, w.request(), time.Now)
	out := naming{session: w.Session, repo: w.Repo, inputs: inputs, chat: w.isChat(), elsewhere: res.Elsewhere}
	named, text := map[string]bool{}, ""
	for _, c := range res.Candidates {
		if p := s.Place(c.Chunk); c.Score >= retrieve.NamedLeast && len(named) < retrieve.NamedMost && !named[p.Path] {
			named[p.Path] = true
			title, _, _ := strings.Cut(s.Chunk(c.Chunk).Title, ", ")
			text += fmt.Sprintf("%s:%d  %s\n", p.Path, p.StartLine+1, title)
		}
	}
	out.given = len(text) / 4
	out.searches, out.tokens = w.spared(named)
	return out
}

// fitPays fits a logistic regression by Newton's method to whether any search is spared.
func fitPays(all []naming) *retrieve.PaysModel {
	const n, rounds, ridge = retrieve.NumPays + 1, 20, 3.
	scale := spread(all)
	var w [n]float64
	for range rounds {
		g, h := make([]float64, n), make([][]float64, n)
		for i := range h {
			if h[i] = make([]float64, n); i < n-1 {
				g[i], h[i][i] = -ridge*w[i], ridge
			}
		}
		for _, a := range all {
			x := make([]float64, n)
			sum := 0.
			for i := range x {
				x[i] = 1
				if i < n-1 {
					x[i] = a.inputs[i] / scale[i]
				}
				sum += w[i] * x[i]
			}
			p := 1 / (1 + math.Exp(-sum))
			y := 0.
			if a.searches > 0 {
				y = 1
			}
			for i := range x {
				g[i] += (y - p) * x[i]
				for j := range i + 1 {
					h[i][j] += p * (1 - p) * x[i] * x[j]
				}
			}
		}
		for i, step := range solve(h, g) {
			w[i] += step
		}
	}
	m := &retrieve.PaysModel{Bias: math.Round(w[n-1]*1000) / 1000}
	for i := range m.Weights {
		m.Weights[i] = math.Round(w[i]/scale[i]*1000) / 1000
	}
	return m
}

// spread returns the standard deviation of each input, by which the ridge is made fair.
func spread(all []naming) (out [retrieve.NumPays]float64) {
	for i := range out {
		mean, square := 0., 0.
		for _, a := range all {
			mean += a.inputs[i] / float64(len(all))
		}
		for _, a := range all {
			square += (a.inputs[i] - mean) * (a.inputs[i] - mean) / float64(len(all))
		}
		out[i] = max(math.Sqrt(square), 1e-6)
	}
	return out
}

// paysCurve returns what each floor costs and spares, a prompt, with models fitted without a part
// of the sessions, and prints it.
func paysCurve(all []naming) (out []retrieve.PaysPoint) {
	const parts = 8
	p := make([]float64, len(all))
	for part := range uint32(parts) {
		var train []naming
		for _, a := range all {
			if hash(a.session)%parts != part {
				train = append(train, a)
			}
		}
		m := fitPays(train)
		for i, a := range all {
			if hash(a.session)%parts == part {
				p[i] = m.Probability(a.inputs)
			}
		}
	}
	fmt.Println("floor  given  searches  net  without the five best  no loss  chat given  chat silent")
	for _, floor := range []float64{0, .1, .15, .2, .25, .3, .35, .4, .5} {
		at := retrieve.PaysPoint{Floor: floor}
		var nets []int
		chats, n := 0., float64(len(all))
		for i, a := range all {
			if p[i] < floor || a.elsewhere {
				a.given, a.searches, a.tokens = 0, 0, 0
			}
			at.Given += float64(a.given) / n
			at.Searches += float64(a.searches) / n
			nets = append(nets, a.tokens-a.given)
			if a.tokens >= a.given {
				at.NoLoss += 1 / n
			}
			if a.chat {
				chats++
				at.ChatGiven += float64(a.given)
				if a.given == 0 {
					at.ChatSilent++
				}
			}
		}
		slices.Sort(nets)
		for i, v := range nets {
			at.Net += float64(v) / n
			if i < len(nets)-5 {
				at.NetWithoutBest += float64(v) / n
			}
		}
		at.ChatGiven, at.ChatSilent = at.ChatGiven/max(chats, 1), at.ChatSilent/max(chats, 1)
		fmt.Printf("%5.2f %6.0f %9.2f %5.0f %22.0f %8.2f %11.0f %12.2f\n", at.Floor, at.Given, at.Searches, at.Net, at.NetWithoutBest, at.NoLoss, at.ChatGiven, at.ChatSilent)
		for _, v := range []*float64{&at.Given, &at.Searches, &at.Net, &at.NetWithoutBest, &at.NoLoss, &at.ChatGiven, &at.ChatSilent} {
			*v = math.Round(*v*100) / 100
		}
		out = append(out, at)
	}
	return out
}

// solve solves h·x = g for a symmetric positive matrix of which the lower half is given.
func solve(h [][]float64, g []float64) []float64 {
	n := len(g)
	l := make([][]float64, n) // Cholesky's factor
	for i := range n {
		l[i] = make([]float64, n)
		for j := range i + 1 {
			sum := h[i][j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				l[i][j] = sum / l[j][j]
			}
		}
	}
	x := slices.Clone(g)
	for i := range n {
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}
