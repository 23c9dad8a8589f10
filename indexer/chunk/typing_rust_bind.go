package chunk

import "bytes"

// rustBind adds the variables of a pattern with its type and value.
func rustBind(o *outliner, i uint32) {
	p, ok := o.field(i, "pattern")
	if !ok {
		return
	}
	var value *Expr
	if v, ok := o.field(i, "value"); ok {
		value = o.expr(v)
	}
	at, _ := o.around(i)
	from := int(o.nodes[i].end)
	switch kind := o.typeOf(i); {
	case kind == "for_expression":
		value, at, from = elemOf(value), i, int(o.nodes[p].end)
	case kind == "parameter":
		from = int(o.nodes[i].start)
		if value = inRust(o).rustGiven(i); o.typeOf(o.nodes[i].parent) == "closure_parameters" {
			at = o.nodes[o.nodes[i].parent].parent
		}
	}
	if t, ok := o.field(i, "type"); ok {
		if e := o.expr(t); e != nil {
			value = &Expr{Op: OpNew, Of: e, Value: value}
		}
	}
	inRust(o).rustPattern(p, at, from, value)
}

// rustGiven returns what a closure that is an argument of a method gets: what the object has.
func (o rustOutliner) rustGiven(i uint32) *Expr {
	for i != 0 && o.typeOf(i) != "closure_expression" {
		if i = o.nodes[i].parent; o.typeOf(i) == "function_item" {
			return nil
		}
	}
	list := o.nodes[i].parent
	if i == 0 || o.typeOf(list) != "arguments" {
		return nil
	}
	f, ok := o.field(o.nodes[list].parent, "function")
	if !ok {
		return nil
	}
	if o.typeOf(f) == "generic_function" {
		if f, ok = o.field(f, "function"); !ok {
			return nil
		}
	}
	if of, ok := o.field(f, "value"); ok && o.typeOf(f) == "field_expression" {
		if e := o.expr(of); e != nil {
			return &Expr{Op: OpPassed, Of: e}
		}
	}
	return nil
}

// rustClosure adds the parameters of a closure without types.
func rustClosure(o *outliner, i uint32) {
	given := inRust(o).rustGiven(i)
	for c := range o.children(i) {
		if o.typeOf(c) != "parameter" {
			inRust(o).rustPattern(c, o.nodes[i].parent, int(o.nodes[i].start), given)
		}
	}
}

// rustArm adds the variables of an arm.
func rustArm(o *outliner, i uint32) {
	p, ok := o.field(i, "pattern")
	whole := o.nodes[o.nodes[i].parent].parent
	v, ok2 := o.field(whole, "value")
	if ok && ok2 {
		inRust(o).rustPattern(p, i, int(o.nodes[i].start), o.expr(v))
	}
}

// rustConstant adds a constant with its type.
func rustConstant(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	t, ok2 := o.field(i, "type")
	if !ok || !ok2 {
		return
	}
	at, owner := o.around(i)
	start, end := o.span(at)
	b := Binding{Owner: owner, Name: o.word(name), Start: start, End: end, From: start, Type: o.expr(t)}
	if at == 0 || owner != "" || o.typeOf(at) == "impl_item" {
		b.Start, b.End = o.span(i)
		o.out.Members = append(o.out.Members, b)
		return
	}
	o.out.Bindings = append(o.out.Bindings, b)
}

// rustPattern adds the variables of the pattern at c, which are known in a node from a byte on.
func (o rustOutliner) rustPattern(c, in uint32, from int, value *Expr) {
	switch kind := o.typeOf(c); kind {
	case "identifier", "shorthand_field_identifier":
		if !isUpper(o.text(c)) {
			start, end := o.span(in)
			o.out.Bindings = append(o.out.Bindings, Binding{Name: o.word(c), Start: start, End: end, From: from, Value: value})
		}
	case "tuple_pattern":
		n := 0
		for k := range o.children(c) {
			o.rustPattern(k, in, from, nthOf(value, n))
			n++
		}
	case "slice_pattern":
		for k := range o.children(c) {
			o.rustPattern(k, in, from, elemOf(value))
		}
	case "tuple_struct_pattern", "struct_pattern":
		o.rustParts(c, in, from, value)
	case "match_pattern", "or_pattern", "mut_pattern", "ref_pattern", "reference_pattern", "captured_pattern":
		for k := range o.children(c) {
			if !o.isField(k, "condition") {
				o.rustPattern(k, in, from, value)
			} else if o.typeOf(k) == "let_condition" {
				rustBind(o.outliner, k)
			}
		}
	}
}

func nthOf(e *Expr, n int) *Expr {
	if e == nil {
		return nil
	}
	return &Expr{Op: OpNth, Of: e, N: n}
}

// rustParts adds the variables that a pattern takes out of a struct or a variant.
func (o rustOutliner) rustParts(c, in uint32, from int, value *Expr) {
	t, ok := o.field(c, "type")
	if !ok {
		return
	}
	of := outermost(o.expr(t))
	n := 0
	for k := range o.children(c) {
		if k == t {
			continue
		}
		at, name := k, decimal(n)
		if o.typeOf(k) == "field_pattern" {
			key, ok := o.field(k, "name")
			if !ok {
				continue
			}
			at, name = key, o.word(key)
			if p, ok := o.field(k, "pattern"); ok {
				at = p
			}
		}
		n++
		var part *Expr
		if of != nil {
			part = &Expr{Op: OpPart, Name: name, Of: of, Value: value}
		}
		o.rustPattern(at, in, from, part)
	}
}

// decimal returns the name of a field of a tuple.
func decimal(n int) string {
	if n < 10 {
		return "0123456789"[n : n+1]
	}
	return decimal(n/10) + decimal(n%10)
}

// isUpper reports whether a name begins with a capital, as those of types, variants and constants
// do.
func isUpper(name []byte) bool { return len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z' }

// rustParameters adds the type parameters of an item with what bounds them.
func rustParameters(o *outliner, i uint32) {
	start, end := o.span(o.nodes[i].parent)
	for c := range o.children(i) {
		if name, ok := o.field(c, "name"); ok && o.typeOf(c) == "type_parameter" {
			bounds, _ := o.field(c, "bounds")
			inRust(o).rustBounds(o.word(name), bounds, start, end)
		}
	}
}

// rustBounds adds a type parameter that is known between two bytes.
func (o rustOutliner) rustBounds(name string, bounds uint32, start, end int) {
	b := Binding{Name: name, Start: start, End: end, From: start, IsType: true}
	o.out.Bindings = append(o.out.Bindings, b)
	if bounds == 0 {
		return
	}
	for c := range o.children(bounds) {
		if o.typeOf(c) == "lifetime" {
			continue
		}
		if b.Type = o.expr(c); b.Type != nil {
			o.out.Bindings = append(o.out.Bindings, b)
		}
	}
}

// rustWhere adds the bounds of a where clause.
func rustWhere(o *outliner, i uint32) {
	start, end := o.span(o.nodes[i].parent)
	for c := range o.children(i) {
		left, ok := o.field(c, "left")
		bounds, ok2 := o.field(c, "bounds")
		if ok && ok2 && o.typeOf(left) == "type_identifier" {
			inRust(o).rustBounds(o.word(left), bounds, start, end)
		}
	}
}

// parameterNames returns the names of the type parameters of an item.
func (o rustOutliner) parameterNames(i uint32) (out []string) {
	list, ok := o.field(i, "type_parameters")
	if !ok {
		return nil
	}
	for c := range o.children(list) {
		if name, ok := o.field(c, "name"); ok && o.typeOf(c) != "lifetime_parameter" {
			out = append(out, o.word(name))
		}
	}
	return out
}

// rustEnum adds the type parameters to the outline of the type that node i defines.
func rustEnum(o *outliner, i uint32) {
	start, _ := o.span(i)
	if last := len(o.out.Types) - 1; last >= 0 && o.out.Types[last].Start == start {
		o.out.Types[last].Generics = inRust(o).parameterNames(i)
	}
}

// rustFields adds the fields of a struct or a variant.
func rustFields(o *outliner, i uint32) {
	rustEnum(o, i)
	name, ok := o.field(i, "name")
	body, ok2 := o.field(i, "body")
	if !ok || !ok2 {
		return
	}
	start, end := o.span(i)
	b := Binding{Owner: o.word(name), Start: start, End: end, From: start}
	n := 0
	for c := range o.children(body) {
		switch {
		case o.typeOf(c) == "field_declaration":
			field, ok := o.field(c, "name")
			t, ok2 := o.field(c, "type")
			if !ok || !ok2 {
				continue
			}
			b.Name, b.Type = o.word(field), o.expr(t)
		case o.isField(c, "type"):
			b.Name, b.Type = decimal(n), o.expr(c)
			n++
		default:
			continue
		}
		o.out.Members = append(o.out.Members, b)
	}
}

// rustTrait adds what a trait needs of its types: the traits above it.
func rustTrait(o *outliner, i uint32) {
	rustEnum(o, i)
	last := len(o.out.Types) - 1
	bounds, ok := o.field(i, "bounds")
	if !ok || last < 0 {
		return
	}
	for c := range o.children(bounds) {
		if e := o.expr(c); e != nil {
			o.out.Types[last].Parents = append(o.out.Types[last].Parents, e)
		}
	}
}

// rustAssociated adds a type that the implementations of a trait choose, with its bounds.
func rustAssociated(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	bounds, ok2 := o.field(i, "bounds")
	if ok && ok2 {
		start, end := o.span(i)
		inRust(o).rustBounds(o.word(name), bounds, start, end)
	}
}

// rustImpl adds an implementation.
func rustImpl(o *outliner, i uint32) {
	t, ok := o.field(i, "type")
	if !ok {
		return
	}
	start, end := o.span(i)
	out := ImplOutline{Start: start, End: end, Generics: inRust(o).parameterNames(i), Of: o.expr(t), Line: o.lines.of(int(o.nodes[t].start))}
	if trait, ok := o.field(i, "trait"); ok {
		out.Trait = o.expr(trait)
		out.IsTrait = true
	}
	o.out.Impls = append(o.out.Impls, out)
}

// rustFunction adds the parameters to the outline of the function that node i defines.
func rustFunction(o *outliner, i uint32) {
	last := len(o.out.Funcs) - 1
	name, ok := o.field(i, "name")
	if !ok || last < 0 || o.out.Funcs[last].Line != o.lines.of(int(o.nodes[name].start)) {
		return
	}
	f := &o.out.Funcs[last]
	f.Generics = inRust(o).parameterNames(i)
	list, ok := o.field(i, "parameters")
	if !ok {
		return
	}
	for c := range o.children(list) {
		if o.typeOf(c) != "parameter" {
			continue
		}
		var e *Expr
		if t, ok := o.field(c, "type"); ok {
			e = o.expr(t)
		}
		f.Types = append(f.Types, e)
	}
}

// rustModule adds a module whose file has another name than its own.
func rustModule(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	if _, hasBody := o.field(i, "body"); hasBody || !ok {
		return
	}
	at, _ := o.span(i)
	file := ""
	for c := range o.children(o.nodes[i].parent) {
		switch {
		case c == i:
			if file != "" {
				o.out.Imports = append(o.out.Imports, Import{Local: o.word(name), Path: "./" + file, At: at})
			}
			return
		case o.typeOf(c) != "attribute_item":
			file = ""
		default:
			if _, path, ok := bytes.Cut(o.text(c), []byte(`path = "`)); ok {
				path, _, _ = bytes.Cut(path, []byte(`"`))
				file = o.intern(path)
			}
		}
	}
}
