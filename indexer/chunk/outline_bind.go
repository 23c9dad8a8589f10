package chunk

// bind adds the names that node i declares.
func (o *outliner) bind(i uint32, b bind) {
	kind := o.kindOf(i, b)
	var value *Expr
	var values []uint32
	if b.value != "" {
		if c, ok := o.at(i, b.value); ok {
			values = o.listed(c)
			value = o.expr(c)
			if len(values) == 1 {
				value = o.expr(values[0])
			}
		}
	}
	names := o.namesOf(i, b.names)
	for k, c := range names {
		v := value
		switch {
		case b.elem > 0 && (k+1 == b.elem || len(names) == 1 && b.elem == 1):
			v = elemOf(value)
		case b.elem > 0:
			v = nil
		case len(names) > 1 && len(values) == len(names):
			v = o.expr(values[k])
		case len(names) > 1 && value != nil:
			v = &Expr{Op: OpNth, Of: value, N: k}
		}
		o.pattern(i, c, kind, v, b.member)
	}
	if b.member && len(names) == 0 && kind != nil {
		o.inherits(o.owner(i), kind)
	}
}

// kindOf returns the type of the names that node i declares, nil for none.
func (o *outliner) kindOf(i uint32, b bind) *Expr {
	if b.kind == "" {
		return nil
	}
	if b.outer {
		i = o.nodes[i].parent
	}
	c, ok := o.at(i, b.kind)
	if !ok || string(o.text(c)) == o.rules.inferred {
		return nil
	}
	kind := o.expr(c)
	if kind != nil && b.list {
		kind = &Expr{Op: OpList, Of: kind}
	}
	return kind
}

func elemOf(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	return &Expr{Op: OpElem, Of: e}
}

// listed returns the expressions of a list, or the node itself.
func (o *outliner) listed(i uint32) (out []uint32) {
	if !lists[o.typeOf(i)] {
		return []uint32{i}
	}
	for c := range o.children(i) {
		out = append(out, c)
	}
	return out
}

// lists are the types of nodes that list names or expressions.
var lists = wordSet("expression_list pattern_list tuple_pattern variable_declarator_list")

// namesOf returns the nodes with the names that node i declares.
func (o *outliner) namesOf(i uint32, path string) (out []uint32) {
	if path == "" {
		return o.listed(i + 1)
	}
	for _, s := range o.route(path) {
		for c := range o.children(i) {
			n := &o.nodes[c]
			if s.field != 0 && n.field == s.field || s.field == 0 && n.symbol != errorSymbol && o.grammar.names[n.symbol] == s.symbol {
				out = append(out, o.listed(c)...)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// pattern adds the names of a pattern at c, which node i declares with a type and a value.
func (o *outliner) pattern(i, c uint32, kind, value *Expr, member bool) {
	if value == nil && kind != nil {
		value = &Expr{Op: OpNew, Of: kind}
	}
	switch o.typeOf(c) {
	case "object_pattern", "array_pattern", "struct_pattern", "tuple_struct_pattern":
		o.parts(i, c, value)
		return
	case "assignment_pattern", "object_assignment_pattern", "rest_pattern", "list_splat_pattern", "mut_pattern", "ref_pattern", "reference_pattern",
		"pointer_declarator", "reference_declarator", "init_declarator", "array_declarator", "as_pattern_target", "variable_declarator":
		if first, ok := o.at(c, "left declarator pattern name .identifier .shorthand_property_identifier_pattern .field_identifier"); ok {
			o.pattern(i, first, kind, value, member)
		}
		return
	case "member_expression", "attribute":
		if of, ok := o.field(c, "object"); ok && (o.typeOf(of) == "this" || string(o.text(of)) == "self" || string(o.text(of)) == "cls") {
			name, _ := o.at(c, "property attribute")
			o.out.Members = append(o.out.Members, Binding{Owner: o.owner(i), Name: o.word(name), Type: kind, Value: value})
		}
		return
	}
	if !o.isName(c) {
		return
	}
	at, owner := o.around(i)
	from := o.nodes[i].end
	if o.scopes[o.typeOf(i)] { // the names are known in the node only
		at, owner, from = i, "", o.nodes[i].start
	}
	b := Binding{
		Owner: owner, Name: o.word(c), Start: int(o.nodes[at].start), End: int(o.nodes[at].end), From: int(from), Type: kind, Value: value,
	}
	switch {
	case owner != "" || at == 0 && !member:
		o.out.Members = append(o.out.Members, b)
		if value != nil && value.Op == OpFunc {
			o.addFunction(i, c, b.Name, value)
		}
	case !member:
		o.out.Bindings = append(o.out.Bindings, b)
	}
}

// isName reports whether node i is a name, or one that a pattern takes out of a value.
func (o *outliner) isName(i uint32) bool {
	if symbol := o.symbolOf(i); o.role[symbol]&roleName != 0 {
		return true
	}
	kind := o.typeOf(i)
	return kind == "shorthand_property_identifier_pattern" || kind == "shorthand_field_identifier"
}

// parts adds the names of a pattern that takes a value apart.
func (o *outliner) parts(i, c uint32, value *Expr) {
	list := o.typeOf(c) == "array_pattern"
	n := 0
	for k := range o.children(c) {
		part, name := k, k
		switch o.typeOf(k) {
		case "pair_pattern", "field_pattern":
			key, ok := o.at(k, "key name")
			if !ok {
				continue
			}
			name = key
			if p, ok := o.at(k, "value pattern"); ok {
				part = p
			}
		case "object_assignment_pattern":
			if first, ok := o.at(k, "left"); ok {
				part, name = first, first
			}
		}
		var v *Expr
		switch {
		case value == nil:
		case list:
			v = &Expr{Op: OpNth, Of: value, N: n}
		case o.typeOf(c) == "object_pattern" || o.typeOf(c) == "struct_pattern":
			v = &Expr{Op: OpMember, Of: value, Name: o.word(name)}
		}
		n++
		o.pattern(i, part, nil, v, false)
	}
}
