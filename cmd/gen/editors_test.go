package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestFillManifest checks that only the settings change, that the extension's own settings stay,
// and that a second run changes nothing.
func TestFillManifest(t *testing.T) {
	model := &Model{Settings: []Setting{
		{Key: "budget.default", GoName: "Default", Type: Type{Kind: Integer}, Doc: "Default of <it>.", Default: "12", Rules: parseRules("min=1,max=20"), Repository: "any"},
		{Key: "ollama.allowRemote", GoName: "AllowRemote", Type: Type{Kind: List, Elem: &Type{Kind: String}}, Doc: "AllowRemote hosts.", Rules: parseRules("orBool"), Repository: "never"},
		{Key: "identity.file", GoName: "File", Type: Type{Kind: String}, Doc: "File it is.", Repository: "inRoot"},
	}}
	const before, after = "{ \"name\":\"x\",\n  \"contributes\": {\"commands\": [ ], \"configuration\": {\n      \"properties\": ", "\n}} , \"z\" : 1}\n"
	const own = `{"contexture.gone": {"type": "string"}, "contexture.client.path": {"type": "string", "scope": "machine"}}`
	got, err := fillManifest(model, []byte(before+own+after))
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	if !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		t.Errorf("what stands around the settings has changed:\n%s", text)
	}
	var all struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct {
					Type    any
					Default any
					Scope   string
					Maximum int
					Text    string `json:"markdownDescription"`
				}
			}
		}
	}
	if err := json.Unmarshal(got, &all); err != nil {
		t.Fatal(err)
	}
	props := all.Contributes.Configuration.Properties
	if p := props["contexture.budget.default"]; len(props) != 4 || p.Type != "integer" || p.Default != 12.0 || p.Maximum != 20 ||
		p.Scope != "resource" || p.Text != "%setting.budget.default%" {
		t.Errorf("settings are %+v", props)
	}
	for _, key := range []string{"ollama.allowRemote", "identity.file"} {
		if p := props["contexture."+key]; p.Scope != "machine" {
			t.Errorf("a workspace may set %s: %+v", key, p)
		}
	}
	again, err := fillManifest(model, got)
	if err != nil || string(again) != text {
		t.Errorf("a second run changes the manifest: %v\n%s", err, again)
	}
	if _, err := fillManifest(model, []byte(`{"contributes": {}}`)); err == nil || !strings.Contains(err.Error(), "configuration") {
		t.Errorf("a manifest without settings: %v", err)
	}
}

// TestFillTexts checks that the settings' texts are replaced, that all others stay in their order,
// and that a second run changes nothing.
func TestFillTexts(t *testing.T) {
	model := &Model{Settings: []Setting{{Key: "budget.default", GoName: "Default", Type: Type{Kind: Integer}, Doc: "Default of <it>."}}}
	const before = `{"view": "Über <b>", "setting.gone": "Gone.", "setting.client.path": "A path.", "a": "An \"a\"."}`
	const want = "{\n  \"view\": \"Über <b>\",\n  \"setting.client.path\": \"A path.\",\n  \"a\": \"An \\\"a\\\".\",\n  \"setting.budget.default\": \"`budget.default` of <it>.\"\n}\n"
	got, err := fillTexts(model, []byte(before))
	if err != nil || string(got) != want {
		t.Fatalf("fillTexts gives %v\n%s\nwant\n%s", err, got, want)
	}
	again, err := fillTexts(model, got)
	if err != nil || string(again) != want {
		t.Errorf("a second run changes the texts: %v\n%s", err, again)
	}
	for _, broken := range []string{"", "[]", `{"a": 1}`} {
		if got, err := fillTexts(model, []byte(broken)); err == nil {
			t.Errorf("fillTexts of %q gives %s", broken, got)
		}
	}
}

func TestTypesOfOtherLanguages(t *testing.T) {
	turn, role := parseRules("format=turnRef"), parseRules("enum=user|tool")
	list := func(of Kind) Type { return Type{Kind: List, Elem: &Type{Kind: of}} }
	for _, test := range []struct {
		field     Field
		wantTS    string
		wantLua   string
		wantField string
	}{
		{Field{Name: "a", Type: Type{Kind: String}}, "string", "string", "a"},
		{Field{Name: "end", Type: Type{Kind: Integer}}, "number", "integer", `["end"]`},
		{Field{Name: "t", Type: Type{Kind: String}, Rules: turn}, "string | number", "string|integer", "t"},
		{Field{Name: "r", Type: list(String), Each: role}, `("user" | "tool")[]`, `("user"|"tool")[]`, "r"},
		{Field{Name: "m", Type: Type{Kind: Map, Elem: &Type{Kind: Ref, Name: "X"}}}, "Record<string, X>", "table<string, contexture.X>", "m"},
		{Field{Name: "w", Type: Type{Kind: Time}}, "Time", "string", "w"},
		{Field{Name: "j", Type: Type{Kind: Any}}, "unknown", "any", "j"},
		{Field{Name: "f", Type: list(Bool)}, "boolean[]", "boolean[]", "f"},
	} {
		f := test.field
		if ts, lua, name := typescriptType(f.Type, f), luaType(f.Type, f), luaField(f.Name); ts != test.wantTS || lua != test.wantLua || name != test.wantField {
			t.Errorf("%s: %s, %s, %s; want %s, %s, %s", f.Name, ts, lua, name, test.wantTS, test.wantLua, test.wantField)
		}
	}
	if got := snake("ConversationAppend"); got != "conversation_append" {
		t.Errorf("snake: %s", got)
	}
}

func TestWrap(t *testing.T) {
	got := strings.Join(wrap("aa bb cc\n\ndddddddd e", 5), "\n")
	if want := "aa bb\ncc\n\ndddddddd\ne"; got != want {
		t.Errorf("wrap: %q, want %q", got, want)
	}
}
