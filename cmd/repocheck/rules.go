package repocheck

// Rule is one of the repository's rules.
type Rule struct {
	Name  string
	Check func(*Tree) []Finding
}

// Rules are all the rules. Each has testdata/<name>.txtar, a tree that breaks it and the expected
// findings.
var Rules = []Rule{
	{"layering", Layering},
	{"purity", Purity},
	{"contexts", Contexts},
	{"sleeps", Sleeps},
	{"skips", Skips},
	{"toplevel", TopLevel},
	{"packagedocs", PackageDocs},
	{"sizes", Sizes},
	{"unfinished", Unfinished},
	{"machinepaths", MachinePaths},
	{"hosts", Hosts},
	{"modules", Modules},
	{"packages", Packages},
	{"glossary", Glossary},
	{"widths", Widths},
	{"documents", Documents},
	{"methods", Methods},
	{"weights", Weights},
	{"literals", Literals},
	{"orphans", Orphans},
}
