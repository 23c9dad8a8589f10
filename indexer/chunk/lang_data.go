package chunk

import "bytes"

// Languages of data and configuration: their top-level entries are symbols of
// kind key.

var yamlSpec = spec{
	defs:     map[string]definition{"block_mapping_pair": {kind: "key", name: "key", scope: true, refine: yamlTop}},
	names:    []string{"plain_scalar", "double_quote_scalar", "single_quote_scalar"},
	toward:   map[string]string{"flow_node": ".plain_scalar .double_quote_scalar .single_quote_scalar"},
	comments: []string{"comment"},
}

func yamlTop(x *extractor, i uint32, s *Symbol) bool {
	s.Name = unquote(s.Name)
	at := i
	for _, want := range []string{"block_mapping", "block_node", "document"} {
		at = x.nodes[at].parent
		if x.typeOf(at) != want {
			return false
		}
	}
	return true
}

func unquote(name string) string {
	if n := len(name); n >= 2 && (name[0] == '"' || name[0] == '\'') && name[n-1] == name[0] {
		return name[1 : n-1]
	}
	return name
}

var tomlSpec = spec{
	defs: map[string]definition{
		"table":               {kind: "key", name: ".bare_key .dotted_key .quoted_key", scope: true, refine: tomlKey},
		"table_array_element": {kind: "key", name: ".bare_key .dotted_key .quoted_key", scope: true, refine: tomlKey},
		"pair":                {kind: "key", name: ".bare_key .dotted_key .quoted_key", refine: tomlKey},
	},
	names:    []string{"bare_key", "dotted_key", "quoted_key"},
	comments: []string{"comment"},
}

func tomlKey(x *extractor, i uint32, s *Symbol) bool {
	s.Name = unquote(s.Name)
	return x.typeOf(i) != "pair" || x.nodes[i].parent == 0
}

var hclSpec = spec{
	defs: map[string]definition{
		"block":     {kind: "key", name: ".identifier", scope: true, refine: hclBlock},
		"attribute": {kind: "key", name: ".identifier", refine: hclAttribute},
	},
	names:    []string{"identifier"},
	calls:    map[string]string{"function_call": ".identifier"},
	uses:     []string{"get_attr"},
	visit:    map[string]func(*extractor, uint32){"attribute": hclSource},
	comments: []string{"comment"},
	builtins: "id name arn var local data module each key value",
}

// hclBlock names a block by its last label, with the previous label as its container: resource
// "aws_instance" "web" is web of aws_instance, variable "region" is region of variable.
func hclBlock(x *extractor, i uint32, s *Symbol) bool {
	if x.nodes[x.nodes[i].parent].parent != 0 {
		return false
	}
	for c := range x.children(i) {
		t := x.typeOf(c)
		if t == "string_lit" || t == "identifier" && x.nodes[c].start > x.nodes[i].start {
			s.Container, s.Name = s.Name, unquote(x.word(c))
			x.nameEnd = x.nodes[c].end
		}
	}
	return true
}

// hclAttribute accepts those of the file itself and of locals.
func hclAttribute(x *extractor, i uint32, _ *Symbol) bool {
	body := x.nodes[i].parent
	if x.nodes[body].parent == 0 {
		return true
	}
	block := x.nodes[body].parent
	return bytes.HasPrefix(x.text(block), []byte("locals"))
}

func hclSource(x *extractor, i uint32) {
	text := x.text(i)
	if name, value, ok := bytes.Cut(text, []byte("=")); ok && string(trimBlank(name)) == "source" {
		x.importing(bytes.Trim(trimBlank(value), `"`))
	}
}

var cssSpec = spec{
	defs:     map[string]definition{"keyframes_statement": {kind: "rule", name: ".keyframes_name"}},
	names:    []string{"keyframes_name"},
	visit:    map[string]func(*extractor, uint32){"import_statement": cssImport},
	comments: []string{"comment"},
}

func cssImport(x *extractor, i uint32) {
	for k := i + 1; k < x.nodes[i].next; k++ {
		if t := x.typeOf(k); t == "string_value" || t == "plain_value" {
			x.importing(bytes.Trim(x.text(k), `"'`))
			return
		}
	}
}

var htmlSpec = spec{
	defs:     map[string]definition{"element": {kind: "key", refine: htmlID}},
	visit:    map[string]func(*extractor, uint32){"start_tag": htmlImport, "self_closing_tag": htmlImport},
	comments: []string{"comment"},
}

// htmlID names an element by its id.
func htmlID(x *extractor, i uint32, s *Symbol) bool {
	tag := i + 1
	if tag >= x.nodes[i].next {
		return false
	}
	s.Name = x.intern(htmlAttribute(x, tag, "id"))
	return s.Name != ""
}

func htmlAttribute(x *extractor, tag uint32, name string) []byte {
	for c := range x.children(tag) {
		if n, ok := x.typed(c, "attribute_name"); ok && string(x.text(n)) == name {
			for k := n; k < x.nodes[c].next; k++ {
				if x.typeOf(k) == "attribute_value" {
					return x.text(k)
				}
			}
		}
	}
	return nil
}

// htmlImport adds the scripts and style sheets of a page as imports.
func htmlImport(x *extractor, i uint32) {
	name, ok := x.typed(i, "tag_name")
	if !ok {
		return
	}
	switch string(x.text(name)) {
	case "script":
		x.importing(htmlAttribute(x, i, "src"))
	case "link":
		x.importing(htmlAttribute(x, i, "href"))
	}
}

var protobufSpec = spec{
	defs: map[string]definition{
		"message":    {kind: "struct", name: ".message_name", scope: true},
		"enum":       {kind: "enum", name: ".enum_name", scope: true},
		"enum_field": {kind: "const", name: ".identifier"},
		"service":    {kind: "interface", name: ".service_name", scope: true},
		"rpc":        {kind: "method", name: ".rpc_name"},
	},
	names:    []string{"identifier"},
	toward:   map[string]string{"message_name": ".identifier", "enum_name": ".identifier", "service_name": ".identifier", "rpc_name": ".identifier"},
	visit:    map[string]func(*extractor, uint32){"import": protoImport, "message_or_enum_type": protoType},
	comments: []string{"comment"},
}

// protoOlder maps words of the older syntax to words of the newer one with the same length and the
// same positions.
var protoOlder = [][2]string{
	{`"proto2"`, `"proto3"`}, {"'proto2'", "'proto3'"}, {"required ", "optional "}, {"extensions ", "reserved   "},
}

// protoKnown masks proto2, since the grammar is for proto3.
func protoKnown(src []byte) []byte {
	if !bytes.Contains(src, []byte("proto2")) {
		return src
	}
	for _, pair := range protoOlder {
		src = bytes.ReplaceAll(src, []byte(pair[0]), []byte(pair[1]))
	}
	return src
}

func protoImport(x *extractor, i uint32) {
	if p, ok := x.field(i, "path"); ok {
		x.importing(bytes.Trim(x.text(p), `"'`))
	}
}

func protoType(x *extractor, i uint32) { x.referText(lastName(x.text(i), "")) }

var dockerfileSpec = spec{
	defs: map[string]definition{
		"from_instruction": {kind: "module", name: "as", refine: dockerStage},
		"arg_instruction":  {kind: "var", name: "name"},
		"env_pair":         {kind: "var", name: "name"},
	},
	names:    []string{"image_alias", "unquoted_string"},
	visit:    map[string]func(*extractor, uint32){"image_spec": dockerImage},
	comments: []string{"comment"},
}

// dockerStage extends a named stage to the next FROM.
func dockerStage(x *extractor, i uint32, s *Symbol) bool {
	parent := x.nodes[i].parent
	for c := x.nodes[i].next; c < x.nodes[parent].next && x.typeOf(c) != "from_instruction"; c = x.nodes[c].next {
		if x.typeOf(c) != "comment" {
			s.End = int(x.nodes[c].end)
		}
	}
	return true
}

func dockerImage(x *extractor, i uint32) { x.importing(x.text(i)) }
