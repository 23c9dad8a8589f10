package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"
)

// The skill is served as the extension of SEP-2640 specifies: specification/stable/skills.mdx of
// modelcontextprotocol/ext-skills, September 2026, for revision 2026-07-28 of the protocol.
// Sessions of earlier revisions get the same answers.
const (
	skillsExtension = "io.modelcontextprotocol/skills"
	skillsComplete  = "complete" // a result that is not asked for in several rounds
)

// skillEntry describes a skill.
type skillEntry struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"` // all fields of the head of its text
	Resources   []skillFile    `json:"resources"`   // every file of the skill
}

// skillFile is a file of a skill, with what clients check its bytes by.
type skillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"` // in bytes
}

// skillsResult is the part that the results of both methods share.
type skillsResult struct {
	sdk.ResultBase
	sdk.Cacheable
	ResultType string `json:"resultType"`
}

type listSkillsParams struct {
	sdk.ParamsBase
	Cursor string `json:"cursor"`
}

type listSkillsResult struct {
	skillsResult
	Skills     []skillEntry `json:"skills"`
	NextCursor string       `json:"nextCursor,omitempty"`
}

type getSkillParams struct {
	sdk.ParamsBase
	URI string `json:"uri"`
}

type getSkillResult struct {
	skillsResult
	Skill skillEntry `json:"skill"`
}

// readSkill returns the entry of a skill that consists of one file, its text.
func readSkill(text string) (skillEntry, error) {
	rest, ok := strings.CutPrefix(text, "---\n")
	head, _, closed := strings.Cut(rest, "\n---\n")
	if !ok || !closed {
		return skillEntry{}, errors.New("read skill: the text has no head")
	}
	var e skillEntry
	if err := yaml.Unmarshal([]byte(head), &e.Frontmatter); err != nil {
		return e, fmt.Errorf("read skill: %w", err)
	}
	name, description := e.field("name"), e.field("description")
	if name == "" || description == "" {
		return e, errors.New("read skill: the head lacks a name or a description")
	}
	sum := sha256.Sum256([]byte(text))
	e.URI = "skill://" + name + "/SKILL.md"
	e.Resources = []skillFile{{e.URI, "sha256:" + hex.EncodeToString(sum[:]), len(text)}}
	return e, nil
}

func (e *skillEntry) field(name string) string {
	s, _ := e.Frontmatter[name].(string)
	return s
}

// addSkill serves a skill: its entry by the extension's methods, and its text as a resource.
func (s *Server) addSkill(text string, e skillEntry) error {
	s.sdk.AddResource(&sdk.Resource{
		URI: e.URI, Name: e.field("name"), Description: e.field("description"), MIMEType: "text/markdown", Size: int64(len(text)),
	}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: e.URI, MIMEType: "text/markdown", Text: text}}}, nil
	})
	// The text names the program's place on this machine.
	shared := func() skillsResult {
		return skillsResult{Cacheable: sdk.Cacheable{TTLMs: listsHold, CacheScope: "private"}, ResultType: skillsComplete}
	}
	list := sdk.AddReceivingCustomMethod(s.sdk, "skills/list", func(_ context.Context, _ *sdk.ServerSession, p *listSkillsParams) (*listSkillsResult, error) {
		if p != nil && p.Cursor != "" {
			return nil, invalid("unknown cursor %q", p.Cursor) // one page holds the only skill
		}
		return &listSkillsResult{skillsResult: shared(), Skills: []skillEntry{e}}, nil
	})
	get := sdk.AddReceivingCustomMethod(s.sdk, "skills/get", func(_ context.Context, _ *sdk.ServerSession, p *getSkillParams) (*getSkillResult, error) {
		if p == nil || p.URI != e.URI {
			return nil, invalid("no such skill; skills/list returns %s", e.URI)
		}
		return &getSkillResult{skillsResult: shared(), Skill: e}, nil
	})
	return errors.Join(list, get)
}
