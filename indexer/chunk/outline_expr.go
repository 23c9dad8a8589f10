package chunk

import "bytes"

// maxExprDepth bounds how deep an expression is read.
const maxExprDepth = 24

// expr returns what node i is as an expression or a type, nil when its form is not known.
func (o *outliner) expr(i uint32) *Expr { return o.form(i, maxExprDepth) }

func (o *outliner) form(i uint32, depth int) *Expr {
	n := &o.nodes[i]
	if n.symbol == errorSymbol || depth == 0 || n.start == n.end {
		return nil
	}
	kind := o.grammar.names[n.symbol]
	if f := o.rules.special[kind]; f != nil {
		if e := f(o, i); e != nil {
			return e
		}
	}
	f, ok := o.rules.exprs[kind]
	if !ok {
		if o.role[n.symbol]&roleName != 0 {
			return &Expr{Op: OpName, Name: o.word(i), At: int(n.start)}
		}
		return nil
	}
	switch f.op {
	case OpThis, OpSuper, OpLiteral:
		if f.same {
			break
		}
		return &Expr{Op: f.op, At: int(n.start)}
	case OpFunc:
		return o.function(i)
	case OpTuple:
		return o.tuple(i, depth)
	}
	c, ok := o.at(i, f.of)
	var of *Expr
	if ok {
		of = o.form(c, depth-1)
	}
	switch {
	case f.same:
		if of != nil {
			o.arguments(i, of, depth)
		}
		return of
	case f.name != "":
		member := o.memberExpr(i, f, of, ok)
		if member != nil && f.op == OpCall { // a call of a member, in one node
			return &Expr{Op: OpCall, Of: member}
		}
		return member
	case of == nil:
		return nil
	}
	return &Expr{Op: f.op, Of: of, At: int(n.start)}
}

// memberExpr returns the member of something at node i; hasOwner is false for a name alone.
func (o *outliner) memberExpr(i uint32, f form, of *Expr, hasOwner bool) *Expr {
	name, ok := o.at(i, f.name)
	switch {
	case !ok:
		return nil
	case !hasOwner:
		return &Expr{Op: OpName, Name: o.word(name), At: int(o.nodes[i].start)}
	case of == nil:
		return nil
	}
	return &Expr{Op: OpMember, Name: o.word(name), Of: of, At: int(o.nodes[i].start)}
}

// arguments adds the type arguments of node i to a type.
func (o *outliner) arguments(i uint32, e *Expr, depth int) {
	if e.Op != OpName && e.Op != OpMember || len(e.Args) > 0 {
		return
	}
	list, ok := o.at(i, "type_arguments .type_arguments .type_parameter .type_argument_list .template_argument_list")
	if !ok {
		return
	}
	for c := range o.children(list) {
		e.Args = append(e.Args, o.form(c, depth-1))
	}
}

// tuple returns the types or values below node i: the type itself when there is one.
func (o *outliner) tuple(i uint32, depth int) *Expr {
	var list []*Expr
	for c := range o.children(i) {
		at := c
		count := 1
		if b, ok := o.rules.binds[o.typeOf(c)]; ok { // a result with a name
			if t, found := o.at(c, b.kind); found {
				at = t
			}
			count = max(1, len(o.namesOf(c, b.names)))
		}
		e := o.form(at, depth-1)
		for range count {
			list = append(list, e)
		}
	}
	if len(list) == 1 {
		return list[0]
	}
	return &Expr{Op: OpTuple, Args: list}
}

// function returns the function at node i, with the type of its result or what it returns first.
func (o *outliner) function(i uint32) *Expr {
	out := &Expr{Op: OpFunc, At: int(o.nodes[i].start)}
	if c, ok := o.at(i, o.rules.results); ok && o.rules.results != "" {
		out.Of = o.expr(c)
		return out
	}
	if o.rules.returns == "" {
		return out
	}
	body, ok := o.field(i, "body")
	if !ok {
		return out
	}
	if e := o.expr(body); e != nil { // an expression
		out.Value = e
		return out
	}
	for k := body; k < o.nodes[body].next; k++ {
		switch kind := o.typeOf(k); {
		case kind == o.rules.returns:
			if k+1 < o.nodes[k].next {
				if out.Value = o.expr(k + 1); out.Value != nil && out.Value.Op != OpLiteral {
					return out
				}
			}
		case o.rules.exprs[kind].op == OpFunc || o.def[max(0, o.symbolOf(k))] != nil && isFunction(o.def[o.symbolOf(k)].kind):
			k = o.nodes[k].next - 1
		}
	}
	return out
}

// symbolOf returns the grammar's symbol of node i, 0 for an error.
func (o *outliner) symbolOf(i uint32) int {
	if o.nodes[i].symbol == errorSymbol {
		return 0
	}
	return int(o.nodes[i].symbol)
}

// use adds node i as a use of its name.
func (o *outliner) use(i uint32) {
	if o.rules.used != nil {
		o.out.Uses = append(o.out.Uses, o.rules.used(o, i))
		return
	}
	u := NameUse{Name: o.word(i), Start: int(o.nodes[i].start), Line: o.lines.of(int(o.nodes[i].start))}
	p, self := o.nodes[i].parent, i
	kind := o.typeOf(p)
	for o.rules.called != nil && cTemplates[kind] { // its name has type arguments
		p, self = o.nodes[p].parent, p
		kind = o.typeOf(p)
	}
	if o.rules.owner != nil {
		u.Owner, u.Member = o.rules.owner(o, i)
	} else if f, ok := o.rules.exprs[kind]; ok && f.name != "" {
		if name, ok := o.at(p, f.name); ok && name == self {
			if of, ok := o.at(p, f.of); ok && of != i {
				u.Member, u.Owner = true, o.expr(of)
				u.Arrow = bytes.HasPrefix(trimBlank(o.src[o.nodes[of].end:]), []byte("->"))
				if kind == "qualified_identifier" {
					u.Owner = cppScope(o, p)
				}
			}
		}
	}
	if o.rules.fields != "" && o.typeOf(i) == o.rules.fields {
		u.Member = u.Member || o.typeOf(p) != "field_initializer"
	}
	if o.rules.called != nil {
		list, called := o.rules.called(o, i)
		u.Call, u.Args = called, o.countOf(list, called)
		u.IsType = inC(o).isTypeName(i, called)
		if o.rules.onlyType != nil {
			u.IsType = o.rules.onlyType(o, i)
			if u.Args >= 0 {
				u.Passed = csharpPassed(o, list)
			}
		}
	} else {
		u.Call = o.isCalled(i)
		list, _ := o.field(p, "arguments")
		u.Args = o.countOf(list, u.Call)
	}
	u.Declares = kind != "object_pattern" && o.isDeclared(i) // a part of a value is used, too
	o.out.Uses = append(o.out.Uses, u)
}

// inBrackets adds node i as a use of its name where it is the text of a string that takes a member
// of an object: object["name"].
func (o *outliner) inBrackets(i uint32) {
	p := o.nodes[o.nodes[i].parent].parent
	if f, ok := o.rules.exprs[o.typeOf(p)]; ok && f.op == OpElem {
		if of, ok := o.at(p, f.of); ok && of != o.nodes[i].parent {
			o.out.Uses = append(o.out.Uses, NameUse{Name: o.word(i), Start: int(o.nodes[i].start), Line: o.lines.of(int(o.nodes[i].start)), Member: true, Owner: o.expr(of), Args: -1})
		}
	}
}

// countOf returns the number of arguments of a call, -1 for none or where it does not matter.
func (o *outliner) countOf(list uint32, isCall bool) (n int) {
	if !isCall || o.rules.variadic == "" && o.rules.signature == nil || list == 0 {
		return -1
	}
	for c := range o.children(list) {
		if o.role[max(0, o.symbolOf(c))]&roleComment == 0 {
			n++
		}
	}
	return n
}

// isCalled reports whether the name at node i is what a call calls.
func (o *outliner) isCalled(i uint32) bool {
	const within = 6 // nodes between a call and the name
	at := o.nodes[i].parent
	if f := o.rules.exprs[o.typeOf(at)]; f.name == "$" { // of its names the last one is called
		if last, _ := o.at(at, "$"); last == i {
			i, at = at, o.nodes[at].parent
		}
	}
	for range within {
		n := &o.nodes[at]
		if n.symbol != errorSymbol && o.role[n.symbol]&roleCall != 0 {
			if name, ok := o.follow(at, o.calls[n.symbol]); ok && (name == i || o.nodes[name].parent == i) {
				return true
			}
		}
		if at == 0 {
			return false
		}
		at = n.parent
	}
	return false
}

// isDeclared reports whether the name at node i is one that a node declares.
func (o *outliner) isDeclared(i uint32) bool {
	if o.rules.declares != nil {
		return o.rules.declares(o, i)
	}
	const within = 4 // nodes between the declaration and a name
	at := o.nodes[i].parent
	for range within {
		if b, ok := o.rules.binds[o.typeOf(at)]; ok {
			for _, c := range o.namesOf(at, b.names) {
				if c == i {
					return true
				}
			}
			return false
		}
		at = o.nodes[at].parent
	}
	return false
}
