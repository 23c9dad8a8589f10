package memory

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// Graph is what conversations are about, with the connections.
type Graph struct {
	Nodes []Node // the heaviest first
	Edges []Edge // the heaviest first
	Left  int    // number of further nodes
}

// Node is a topic, an entity, or a file that occurs with one of them.
type Node struct {
	ID, Kind, Label string // Kind is "topic", "file", or the entity's
	// Weight is from 0 to 1 relative to nodes of the same kind; for a file it is its number of
	// turns relative to the most mentioned file.
	Weight float64
	Trend  subject.Trend // "" for a file
	Turns  int           // that mention it, for a file at most fileTurns
	from   []string      // those of the turns that are known, by their sources
}

// Edge holds the number of turns in which two nodes occur together.
type Edge struct {
	From, To string
	Turns    int
}

const (
	// fileTurns is how many turns of a file are examined, the latest ones.
	fileTurns = 1000
	// edgesOfNode bounds the average number of edges per node.
	edgesOfNode = 8
)

// Graph returns the heaviest nodes, at most limit, and the edges between them: for topics and
// entities only the latest subject.MostTurns turns count. It reads the mentions.
func (v *Subjects) Graph(limit int) (Graph, error) {
	all, err := v.All()
	if err != nil {
		return Graph{}, err
	}
	var nodes []Node
	files, shown := map[string]bool{}, map[string]bool{}
	for _, list := range [...][]subject.Subject{all.Topics, all.Entities} {
		for i := range list {
			s := &list[i]
			if shown[s.Keys[0]] { // a topic with a proper name is an entity too
				continue
			}
			shown[s.Keys[0]] = true
			nodes = append(nodes, Node{ID: s.ID, Kind: s.Kind(), Label: s.Label, Weight: s.Weight, Trend: s.Trend, Turns: s.Count, from: s.Turns})
			beside, err := s.Beside(v.state)
			if err != nil {
				return Graph{}, fmt.Errorf("read the files of a subject: %w", err)
			}
			for _, f := range beside.Files {
				files[f] = true
			}
		}
	}
	more, err := fileNodes(v.state, files)
	if err != nil {
		return Graph{}, err
	}
	nodes = append(nodes, more...)
	slices.SortFunc(nodes, func(a, b Node) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.ID, b.ID))
	})
	out := Graph{Nodes: nodes[:min(limit, len(nodes))]}
	out.Left = len(nodes) - len(out.Nodes)
	out.Edges = edges(out.Nodes)
	return out, nil
}

// fileNodes returns the nodes of files.
func fileNodes(view store.View, files map[string]bool) ([]Node, error) {
	names := sourceNames{view: view, ids: map[uint32]string{}}
	var out []Node
	most := 0
	for path := range files {
		seen, err := subject.Seen(view, subject.Mention{Kind: subject.Path, Name: path}, fileTurns)
		if err != nil {
			return nil, fmt.Errorf("read the turns of a file: %w", err)
		}
		n := Node{ID: "file:" + path, Kind: "file", Label: path}
		for _, s := range seen {
			name, err := names.id(s.Conversation)
			if err != nil {
				return nil, err
			}
			if name != "" {
				n.from = append(n.from, knowledge.SourceTurn(name, dialogue.TurnID(s.Turn)))
			}
		}
		if n.Turns = len(n.from); n.Turns > 0 {
			out = append(out, n)
			most = max(most, n.Turns)
		}
	}
	for i := range out {
		out[i].Weight = float64(out[i].Turns) / float64(most)
	}
	return out, nil
}

// edges connects the nodes that occur in the same turns.
func edges(nodes []Node) []Edge {
	inTurn := map[string][]int{}
	for i, n := range nodes {
		for _, source := range n.from {
			inTurn[source] = append(inTurn[source], i)
		}
	}
	shared := map[[2]int]int{}
	for _, list := range inTurn {
		for k, a := range list {
			for _, b := range list[k+1:] {
				if a != b {
					shared[[2]int{a, b}]++
				}
			}
		}
	}
	out := make([]Edge, 0, len(shared))
	for pair, n := range shared {
		out = append(out, Edge{From: nodes[pair[0]].ID, To: nodes[pair[1]].ID, Turns: n})
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(b.Turns, a.Turns), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out[:min(len(out), edgesOfNode*len(nodes))]
}
