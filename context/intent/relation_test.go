package intent

import "testing"

// TestRelation: what a prompt asks about a symbol, in several languages, and prompts that use the
// same words otherwise.
func TestRelation(t *testing.T) {
	for prompt, want := range map[string]Relation{
		"who calls parseArgs?":                            Uses,
		"callers of parse":                                Uses,
		"parseArgs call sites":                            Uses,
		"find every usage of parseArgs in the server":     Uses,
		"parseArgs is called by whom?":                    Uses,
		"Wo wird parseArgs aufgerufen?":                   Uses,
		"wer ruft parseArgs auf":                          Uses,
		"où est appelée parseArgs ?":                      Uses,
		"¿quién llama a parseArgs?":                       Uses,
		"onde parseArgs é chamado?":                       Uses,
		"где вызывается parseArgs":                        Uses,
		"谁调用了parseArgs？":                                  Uses,
		"parseArgs はどこで呼び出されていますか":                        Uses,
		"parseArgs를 호출하는 곳은?":                             Uses,
		"where is Store instantiated":                     Uses,
		"how many places call parseArgs?":                 Uses,
		"who implements Store?":                           Implementations,
		"subclasses of Store":                             Implementations,
		"which child classes does Store have":             Implementations,
		"what conforms to Store":                          Implementations,
		"sous-classes de Store":                           Implementations,
		"welche Klassen erben von Store":                  Implementations,
		"谁实现了 Store":                                      Implementations,
		"where are the implementations of Store":          Implementations,
		"which tests cover parseArgs":                     Tests,
		"wo sind die Tests zu parseArgs":                  Tests,
		"parseArgs のテストはどこ":                               Tests,
		"where is parseArgs defined":                      "",
		"where is parseArgs implemented?":                 "",
		"wo ist parseArgs implementiert":                  "",
		"how do I use parseArgs":                          "",
		"what does parseArgs call":                        "",
		"which functions does parseArgs use internally":   "",
		"there is a function called parseArgs":            "",
		"show the call stack of parseArgs":                "",
		"rename parseArgs and all its callers":            "",
		"fix the crash when Open calls parseArgs":         "",
		"call_parser and user_tests":                      "",
		"we should call ours parseArgs as well":           "",
		"can we add a test for parseArgs?":                "",
		"where should we call parseArgs?":                 "",
		"can you show me what uses parseArgs":             Uses,
		"where do we call parseArgs":                      Uses,
		"places that call parseArgs":                      Uses,
		"explain parseArgs":                               "",
		"Add tests for parseArgs":                         "",
		"use a pool\n\nThe pool is used by the scheduler": "",
		"": "",
	} {
		got := Classify(prompt, Context{})
		if got.Relation != want {
			t.Errorf("%q: %q by %q, want %q", prompt, got.Relation, got.RelationWords, want)
		}
		if (got.Relation == "") != (len(got.RelationWords) == 0) {
			t.Errorf("%q: %q by %q", prompt, got.Relation, got.RelationWords)
		}
	}
}
