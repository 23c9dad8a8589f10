package chunk

import "bytes"

// rustImported adds the names of a use.
func rustImported(o *outliner, i uint32) {
	if c, ok := o.field(i, "argument"); ok {
		_, isPublic := o.typed(i, "visibility_modifier")
		inRust(o).rustTree(c, "", Import{Export: isPublic, At: int(o.nodes[i].start)})
	}
}

// rustTree adds the names of a part of a use, below a path.
func (o rustOutliner) rustTree(c uint32, under string, m Import) {
	join := func(path string) string {
		if under == "" {
			return path
		}
		return under + "::" + path
	}
	switch o.typeOf(c) {
	case "use_as_clause":
		path, ok := o.field(c, "path")
		alias, ok2 := o.field(c, "alias")
		if ok && ok2 {
			m.Local = o.word(alias)
			o.rustTree(path, under, m)
		}
	case "use_list":
		for k := range o.children(c) {
			o.rustTree(k, under, m)
		}
	case "scoped_use_list":
		if path, ok := o.field(c, "path"); ok {
			under = join(o.word(path))
		}
		if list, ok := o.field(c, "list"); ok {
			o.rustTree(list, under, m)
		}
	case "use_wildcard":
		m.Local, m.Path = "*", under
		if c+1 < o.nodes[c].next {
			m.Path = join(o.word(c + 1))
		}
		o.out.Imports = append(o.out.Imports, m)
	default:
		whole := bytes.TrimPrefix([]byte(join(o.word(c))), []byte("::"))
		if o.typeOf(c) == "self" && under != "" {
			whole = []byte(under)
		}
		at := bytes.LastIndex(whole, []byte("::"))
		m.Name = o.intern(whole[max(0, at+2*min(1, at+1)):])
		if at >= 0 {
			m.Path = o.intern(whole[:at])
		}
		if m.Local == "" {
			m.Local = m.Name
		}
		o.out.Imports = append(o.out.Imports, m)
	}
}

// rustExtern adds another name of a crate.
func rustExtern(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	alias, ok2 := o.field(i, "alias")
	if ok && ok2 {
		o.out.Imports = append(o.out.Imports, Import{Local: o.word(alias), Name: o.word(name), At: int(o.nodes[i].start), Export: true})
	}
}

// rustUsed returns node i as a use of its name.
func rustUsed(o *outliner, i uint32) NameUse {
	u := NameUse{Name: o.word(i), Start: int(o.nodes[i].start), Line: o.lines.of(int(o.nodes[i].start)), Args: -1, Macro: inRust(o).isMacro(i)}
	p := o.nodes[i].parent
	switch kind := o.typeOf(p); kind {
	case "token_tree", "token_tree_pattern", "token_repetition", "token_repetition_pattern": // of a macro that is not understood
		u.Member, u.Macro = true, false
		return u
	case "lifetime", "label", "type_binding", "field_initializer", "token_binding_pattern":
		u.Declares = kind != "type_binding" && kind != "field_initializer" || o.isField(i, "name") || o.isField(i, "field")
	case "field_expression":
		if of, ok := o.field(p, "value"); ok && of != i {
			u.Member, u.Owner = true, o.expr(of)
		}
	case "scoped_identifier", "scoped_type_identifier":
		if of, ok := o.field(p, "path"); ok && of != i {
			u.Member, u.Path, u.Owner = true, true, inRust(o).rustOwner(p)
		}
	}
	u.Declares = u.Declares || inRust(o).rustDeclares(i)
	u.Call = inRust(o).rustCalled(i) || u.Macro
	return u
}

// rustPatterns are the nodes of patterns between a name and what declares it.
var rustPatterns = wordSet("tuple_pattern slice_pattern tuple_struct_pattern struct_pattern field_pattern " +
	"match_pattern or_pattern mut_pattern ref_pattern reference_pattern captured_pattern")

// rustDeclares reports whether node i is the name that an item or a pattern declares.
func (o rustOutliner) rustDeclares(i uint32) bool {
	p := o.nodes[i].parent
	if o.symbolOf(p) > 0 && o.def[o.symbolOf(p)] != nil && o.isField(i, "name") || o.typeOf(p) == "field_declaration" && o.isField(i, "name") {
		return true
	}
	switch o.typeOf(p) {
	case "type_parameter", "lifetime_parameter", "const_parameter":
		return o.isField(i, "name")
	case "attribute":
		return true
	}
	if isUpper(o.text(i)) {
		return false
	}
	for at := i; ; at = o.nodes[at].parent {
		switch p := o.nodes[at].parent; {
		case rustPatterns[o.typeOf(p)]:
			if o.isField(at, "type") || o.isField(at, "condition") {
				return false
			}
		case o.typeOf(p) == "closure_parameters":
			return true
		default:
			return o.isField(at, "pattern")
		}
	}
}

// rustCalled reports whether the name at node i is what a call calls, or a literal of a struct
// makes.
func (o rustOutliner) rustCalled(i uint32) bool {
	for at := i; at != 0; at = o.nodes[at].parent {
		p := o.nodes[at].parent
		switch o.typeOf(p) {
		case "call_expression":
			return o.isField(at, "function")
		case "struct_expression":
			return o.isField(at, "name")
		case "scoped_identifier", "scoped_type_identifier":
			if !o.isField(at, "name") {
				return false
			}
		case "field_expression":
			if !o.isField(at, "field") {
				return false
			}
		case "generic_function", "generic_type_with_turbofish":
			if o.isField(at, "type_arguments") {
				return false
			}
		default:
			return false
		}
	}
	return false
}
