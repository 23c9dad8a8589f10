package chunk

// specs are the languages with a grammar.
var specs = map[string]*spec{
	"go":         &goSpec,
	"python":     &pythonSpec,
	"javascript": &javascriptSpec,
	"typescript": &typescriptSpec,
	"tsx":        &typescriptSpec,
	"java":       &javaSpec,
	"c":          &cSpec,
	"rust":       &rustSpec,
}
