package main

import (
	"fmt"
	"go/ast"
	"slices"
)

// settingsOf parses the struct Settings of server/settings. A field with a key tag is a setting;
// one without is a group, whose fields are listed in its place.
func settingsOf(decls []declaration) ([]Setting, error) {
	root := lookup(decls, "Settings")
	if root == nil {
		return nil, fmt.Errorf("struct Settings not found")
	}
	return groupOf(root, decls)
}

// repositoryTexts end the documentation of a setting, depending on what a repository's file may
// set.
var repositoryTexts = map[string]string{
	"any":     "",
	"inRoot":  " A repository's `.contexture.toml` may only name files in its root.",
	"onlyOff": " A repository's `.contexture.toml` may only switch it off.",
	"never":   " A repository's `.contexture.toml` may not set it.",
}

func groupOf(st *ast.StructType, decls []declaration) ([]Setting, error) {
	var out []Setting
	for _, f := range st.Fields.List {
		if len(f.Names) == 0 || !f.Names[0].IsExported() {
			continue
		}
		tag := tagOf(f)
		key := tag.Get("key")
		if key == "" {
			id, ok := f.Type.(*ast.Ident)
			if !ok || lookup(decls, id.Name) == nil {
				return nil, fmt.Errorf("settings field %s has no key", f.Names[0].Name)
			}
			group, err := groupOf(lookup(decls, id.Name), decls)
			if err != nil {
				return nil, err
			}
			out = append(out, group...)
			continue
		}
		typ, err := typeOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", key, err)
		}
		if f.Doc == nil {
			return nil, fmt.Errorf("setting %s has no doc comment", key)
		}
		limit, ok := repositoryTexts[tag.Get("repository")]
		if !ok {
			return nil, fmt.Errorf("setting %s does not say what a repository's file may set of it", key)
		}
		filesOnly := tag.Get("from") == "files"
		if filesOnly {
			limit += " It is read from the files, not from an editor."
		}
		out = append(out, Setting{
			Key: key, GoName: f.Names[0].Name, Type: typ, Doc: docText(f.Doc) + limit, Default: tag.Get("default"),
			Rules: parseRules(tag.Get("check")), Each: parseRules(tag.Get("each")), Repository: tag.Get("repository"), FilesOnly: filesOnly,
		})
	}
	return out, nil
}

// editorSettings returns the settings that an editor's section may set.
func (m *Model) editorSettings() []Setting {
	return slices.DeleteFunc(slices.Clone(m.Settings), func(s Setting) bool { return s.FilesOnly })
}
