package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// fillManifest writes the settings to `contributes.configuration` of VS Code's package.json, before
// those of the extension itself, whose keys begin with "contexture.client.". Everything else is
// preserved byte for byte.
func fillManifest(m *Model, manifest []byte) ([]byte, error) {
	from, to, err := findValue(manifest, "contributes", "configuration", "properties")
	if err != nil {
		return nil, err
	}
	var own []struct {
		key   string
		value json.RawMessage
	}
	dec := json.NewDecoder(bytes.NewReader(manifest[from:to]))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if name := fmt.Sprint(key); strings.HasPrefix(name, "contexture.client.") {
			own = append(own, struct {
				key   string
				value json.RawMessage
			}{name, value})
		}
	}
	var b bytes.Buffer
	b.WriteString("{")
	for i, s := range m.editorSettings() {
		if i > 0 {
			b.WriteString(",")
		}
		value, err := marshal(vscodeSetting(s))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", "contexture."+s.Key, value)
	}
	for _, o := range own {
		fmt.Fprintf(&b, ",%q:%s", o.key, o.value)
	}
	b.WriteString("}")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "      ", "  "); err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{manifest[:from], pretty.Bytes(), manifest[to:]}, nil), nil
}

// textKey is the prefix of the keys of the settings' texts in package.nls.json.
const textKey = "setting."

// fillTexts writes the English texts of the settings to VS Code's package.nls.json, after all
// others. Those of the extension's own settings, whose keys begin with "setting.client.", are
// preserved. The other languages' files are written by hand; a test of the extension checks that
// they have the same keys.
func fillTexts(m *Model, present []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(present))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("the texts are no object"), err)
	}
	var b bytes.Buffer
	b.WriteString("{")
	write := func(key, text string) error {
		if b.Len() > 1 {
			b.WriteString(",")
		}
		k, err := marshal(key)
		if err != nil {
			return err
		}
		v, err := marshal(text)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s:%s", k, v)
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var text string
		if err := dec.Decode(&text); err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if strings.HasPrefix(name, textKey) && !strings.HasPrefix(name, textKey+"client.") {
			continue
		}
		if err := write(name, text); err != nil {
			return nil, err
		}
	}
	for _, s := range m.editorSettings() {
		if err := write(textKey+s.Key, sentence(Field{Name: s.Key, GoName: s.GoName, Doc: s.Doc})); err != nil {
			return nil, err
		}
	}
	b.WriteString("}")
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", "  "); err != nil {
		return nil, err
	}
	pretty.WriteString("\n")
	return pretty.Bytes(), nil
}

// property is one setting in VS Code's format. The order of the members is that of the file.
type property struct {
	Type        any    `json:"type"`
	Items       any    `json:"items,omitempty"`
	Enum        any    `json:"enum,omitempty"`
	Minimum     *int64 `json:"minimum,omitempty"`
	Maximum     *int64 `json:"maximum,omitempty"`
	Default     any    `json:"default"`
	Scope       string `json:"scope"`
	Order       int    `json:"order,omitempty"`
	Description string `json:"markdownDescription"`
}

func vscodeSetting(s Setting) property {
	p := property{Scope: "resource", Description: "%" + textKey + s.Key + "%"}
	if s.Repository == "never" || s.Repository == "inRoot" { // a repository may hold the editor's settings as well
		p.Scope = "machine"
	}
	p.Default, p.Type = s.Default, string(s.Type.Kind)
	switch s.Type.Kind {
	case Bool:
		p.Default = s.Default == "true"
	case Integer:
		n, _ := strconv.ParseInt(s.Default, 10, 64) //nolint:errcheck // an empty default is 0
		p.Default = n
		p.Minimum, p.Maximum = bound(s.Rules, "min"), bound(s.Rules, "max")
	case List:
		p.Type, p.Items = "array", map[string]string{"type": "string"}
		p.Default = append([]string{}, strings.Fields(s.Default)...)
		if s.Rules.Has("orBool") {
			p.Type = []string{"array", "boolean"}
		}
	case Map:
		p.Type, p.Default = "object", map[string]string{}
	}
	if values := s.Rules.Enum(); values != nil {
		p.Enum = values
	}
	return p
}

func bound(r Rules, name string) *int64 {
	n, err := strconv.ParseInt(r[name], 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// findValue returns where the value at the path of names begins and ends.
func findValue(data []byte, path ...string) (from, to int, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	for _, name := range path {
		if err := enter(dec, name); err != nil {
			return 0, 0, fmt.Errorf("find %s: %w", strings.Join(path, "."), err)
		}
	}
	from = int(dec.InputOffset())
	for from < len(data) && bytes.IndexByte([]byte(": \t\r\n"), data[from]) >= 0 {
		from++
	}
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return 0, 0, err
	}
	return from, from + len(value), nil
}

// enter reads up to the value of a member of the next object.
func enter(dec *json.Decoder, name string) error {
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("no object"), err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == name {
			return nil
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return err
		}
	}
	return errors.Join(errors.New("not there"), io.ErrUnexpectedEOF)
}
