package chunk

import "strings"

// of returns the kind of node i, whose parent has the kind inherited.
func (b *spanBuilder) of(i uint32, inherited SpanKind) SpanKind {
	n := &b.nodes[i]
	if i == 0 || n.symbol == errorSymbol || int(n.symbol) >= len(b.classes.kinds) {
		return inherited
	}
	k := b.classes.kinds[n.symbol]
	if kind, decided := enclosedKind(inherited, k); decided {
		return kind
	}
	isLeaf := n.next == i+1
	if !isLeaf {
		k &^= kindWord // a construct named after its keyword, which is one of its children
	}
	if b.isKey(i) {
		return SpanProperty
	}
	if k&kindLiteral != 0 && isLeaf && int(n.start) < len(b.src) {
		k |= literalKind(b.src[n.start])
	}
	if kind := literal(k); kind != "" {
		return kind
	}
	switch {
	case k&kindName != 0:
		if kind := b.name(i, k); kind != "" {
			return kind
		}
	case k&kindProperty != 0:
		return SpanProperty
	case k&kindType != 0:
		return SpanType
	case isLeaf:
		if kind := b.word(i, k); kind != "" {
			return kind
		}
	}
	return inherited
}

// word returns the kind of a leaf that its text or its position in its parent determines, "" when
// neither does.
func (b *spanBuilder) word(i uint32, k nodeKind) SpanKind {
	n := &b.nodes[i]
	switch {
	case b.isWordNode(n):
		return SpanKeyword
	case k == 0 && b.field(i) == fieldName && b.definesFunction(n.parent, i):
		return SpanFunction // a command word of a shell
	}
	return ""
}

// enclosedKind returns the kind of a node of the type kind k inside a node of the kind outer, and
// whether outer decides it regardless of anything else.
func enclosedKind(outer SpanKind, k nodeKind) (kind SpanKind, decided bool) {
	switch outer {
	case SpanComment, SpanType, SpanTag, SpanNumber, SpanVariable:
		return outer, true
	case SpanString:
		switch {
		case k&kindCode != 0:
			return "", true
		case k&kindVariable != 0:
			return SpanVariable, true
		}
		return outer, true
	case SpanProperty:
		if k&kindCode != 0 {
			return "", true
		}
		return outer, true
	case SpanAttribute:
		switch {
		case k&kindString != 0:
			return SpanString, true
		case k&kindNumber != 0:
			return SpanNumber, true
		}
		return outer, true
	}
	return "", false
}

// literalKind returns the kind of a literal of either kind by its first byte.
func literalKind(first byte) nodeKind {
	if '0' <= first && first <= '9' || first == '.' || first == '-' {
		return kindNumber
	}
	return kindString
}

// literal returns the kind of a node that its type alone determines.
func literal(k nodeKind) SpanKind {
	switch {
	case k&kindComment != 0:
		return SpanComment
	case k&kindString != 0:
		return SpanString
	case k&kindNumber != 0:
		return SpanNumber
	case k&kindConstant != 0:
		return SpanConstant
	case k&kindWord != 0:
		return SpanKeyword
	case k&kindOperator != 0:
		return SpanOperator
	case k&kindTag != 0:
		return SpanTag
	case k&kindAttribute != 0:
		return SpanAttribute
	case k&kindVariable != 0:
		return SpanVariable
	case k&kindFunction != 0:
		return SpanFunction
	}
	return ""
}

// text returns a node's text, without the blanks after it that some grammars include.
func (b *spanBuilder) text(n *node) string {
	return strings.TrimSpace(string(b.src[min(int(n.start), len(b.src)):min(int(n.end), len(b.src))]))
}

// isWordNode reports whether a named leaf is a keyword, by its text.
func (b *spanBuilder) isWordNode(n *node) bool {
	if n.end-n.start > 24 || len(b.classes.words) == 0 || !b.classes.grammar.named[n.symbol] {
		return false
	}
	text := b.text(n)
	return b.classes.more[text] || isKeywordText(text) && text == b.classes.grammar.names[n.symbol]
}

// kind returns the properties of a node's type.
func (b *spanBuilder) kind(i uint32) nodeKind {
	if s := b.nodes[i].symbol; int(s) < len(b.classes.kinds) {
		return b.classes.kinds[s]
	}
	return 0
}

func (b *spanBuilder) field(i uint32) fieldKind {
	if f := b.nodes[i].field; int(f) < len(b.classes.fields) {
		return b.classes.fields[f]
	}
	return fieldOther
}

// isKey reports whether a node is the key of a pair: the field that the grammar has for it, or the
// first name.
func (b *spanBuilder) isKey(i uint32) bool {
	up := b.nodes[i].parent
	if b.kind(up)&kindPair == 0 || up == i {
		return false
	}
	switch b.field(i) {
	case fieldKey:
		return b.kind(i)&kindCode == 0
	case fieldName:
		return true
	}
	return i == up+1 && b.kind(i)&(kindName|kindString) != 0
}

// name returns the kind of an identifier, which depends on its parents.
func (b *spanBuilder) name(i uint32, k nodeKind) SpanKind {
	up := b.nodes[i].parent
	text := b.text(&b.nodes[i])
	if (b.nodes[up].symbol == errorSymbol || up == 0) && b.classes.words[text] {
		return SpanKeyword // error recovery takes keywords for names
	}
	if b.isCallee(i) {
		if b.classes.words[text] {
			return SpanKeyword
		}
		return SpanFunction
	}
	if kind := b.definedName(up, i); kind != "" {
		return kind
	}
	if kind := b.usedName(up, i, k); kind != "" {
		return kind
	}
	switch {
	case isConstantName(text):
		return SpanConstant
	case b.classes.capitals && isTypeName(text):
		return SpanType
	case b.field(i) == fieldMember && b.kind(up)&kindMember != 0:
		return SpanProperty
	case b.classes.words[text] && b.classes.more[text]:
		return SpanKeyword
	}
	return ""
}

// definedName returns the kind of a name that its parent up defines, "" when up does not define it.
func (b *spanBuilder) definedName(up, i uint32) SpanKind {
	above, isName := b.kind(up), b.field(i) == fieldName
	switch {
	case b.definesFunction(up, i):
		return SpanFunction
	case above&kindElement != 0 && isName:
		return SpanTag
	case above&kindDefinesConstant != 0 && (isName || i == up+1):
		return SpanConstant
	case above&kindDefinesProperty != 0 && isName:
		return SpanProperty
	case above&kindHead != 0 && i == up+1:
		return SpanKeyword
	case above&kindDefinesType != 0 && (isName || len(b.classes.fields) == 1):
		return SpanType
	}
	return ""
}

// usedName returns the kind of a name that is a type or a property by its position in its parent
// up, "" where the position does not decide.
func (b *spanBuilder) usedName(up, i uint32, k nodeKind) SpanKind {
	above, field := b.kind(up), b.field(i)
	switch {
	case field == fieldType, above&kindTypes != 0 && field != fieldCallee:
		return SpanType
	case k&kindProperty != 0, above&kindSuffix != 0:
		return SpanProperty
	case above&kindAccess != 0 && i != up+1 && b.isLastName(up, i):
		return SpanProperty
	}
	return ""
}

// isCallee reports whether a name is the callee: the last name of what precedes the arguments.
func (b *spanBuilder) isCallee(i uint32) bool {
	if b.isApplied(i) {
		return true
	}
	at := i
	for range 8 {
		up := b.nodes[at].parent
		if up == at {
			return false
		}
		k := b.kind(up)
		if k&kindCall != 0 {
			switch b.field(at) {
			case fieldCallee:
				return true
			case fieldName, fieldMember:
				return at == i
			}
			return b.nodes[at].field == 0 && at == up+1
		}
		if k&kindMember == 0 || !b.isLastName(up, at) {
			return false
		}
		at = up
	}
	return false
}

// isApplied reports whether arguments follow a name right away, outside of the node that has it.
func (b *spanBuilder) isApplied(i uint32) bool {
	for k := i + 1; k <= i+2 && int(k) < len(b.nodes); k++ {
		if b.kind(k)&kindArguments != 0 {
			return b.nodes[k].start == b.nodes[i].end
		}
	}
	return false
}

// nearby is the number of following siblings that are examined. Nodes that matter here have few;
// lists of names are unbounded.
const nearby = 8

// isLastName reports whether no name follows a child in its parent.
func (b *spanBuilder) isLastName(up, child uint32) bool {
	c := b.nodes[child].next
	for n := 0; n < nearby && c < b.nodes[up].next; n++ {
		if b.kind(c)&(kindName|kindMember) != 0 {
			return false
		}
		c = b.nodes[c].next
	}
	return true
}

// definesFunction reports whether a node defines a function by the name i.
func (b *spanBuilder) definesFunction(up, i uint32) bool {
	k, field := b.kind(up), b.field(i)
	switch {
	case k&kindMember != 0 && up != b.nodes[up].parent && b.isLastName(up, i) && b.kind(b.nodes[up].parent)&kindDefinesFunction != 0:
		return b.field(up) == fieldName || b.field(up) == fieldDeclarator // C::f
	case k&kindDefinesFunction == 0:
		return k&kindPair == 0 && (field == fieldName || field == fieldMember) && b.isValued(up, i)
	case field == fieldName || field == fieldDeclarator:
		return true
	}
	return len(b.classes.fields) == 1 && b.isLastName(up, i)
}

// isValued reports whether a name is bound to a function.
func (b *spanBuilder) isValued(up, i uint32) bool {
	c := b.nodes[i].next
	for n := 0; n < nearby && c < b.nodes[up].next; n++ {
		if s := b.nodes[c].symbol; int(s) < len(b.classes.functions) && b.classes.functions[s] {
			return true
		}
		c = b.nodes[c].next
	}
	return false
}

// isConstantName reports whether a name is written like a constant's: MAX_SIZE.
func isConstantName(text string) bool {
	letters := 0
	for _, c := range []byte(text) {
		switch {
		case 'A' <= c && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters > 1
}

// isTypeName reports whether a name is written like a type's: HttpClient.
func isTypeName(text string) bool { return len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' }
