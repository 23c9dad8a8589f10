package intent

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Relation is what a prompt asks about a symbol besides the symbol itself.
type Relation string

// The relations; "" means none.
const (
	Uses            Relation = "uses"            // what calls or uses it
	Implementations Relation = "implementations" // what implements, extends or overrides it
	Tests           Relation = "tests"           // its tests
)

// relationStems are the words that ask for a relation, by language. A '*' stands for any ending. In
// scripts without spaces, the listed texts may be anywhere in a run of letters.
var relationStems = map[Relation][]string{
	Uses: stems(`
		call calls called calling caller callers invoke* invoking invocation* instantiat* use uses used using usage usages reference* refers depends
		aufruf* aufgerufen* ruft rufen instanzi* benutz* verwend* verwand* nutzt nutzen genutzt* gebraucht
		appel* utilis* invoqu* instanci* référenc*
		llama llaman llamad* invoca* instanci* usa usan usad* utiliza* referencia*
		chama chamam chamad* usam utilizam
		chiama chiamano chiamat* richiam* usano usat* utilizz*
		roept aangeroepen aanroep* gebruik*
		wywoł* używa* użyt* użyci*
		вызыва* вызов* вызван* использу* зовет зовёт
		çağır* çağrı* kullan*
		anrop* använd* kaldes kalder kaller kalles bruges brukes`),
	Implementations: stems(`
		implement implements implementing implementation* implementer* implementor* subclass* derive derives derived deriving extend extends extending inherit* overrid* descendant* conform* subtype*
		implementier* unterklasse* kindklasse* untertyp* erbt erben abgeleitet* überschreib* ableitung*
		implément* hérite* étend* redéfini*
		implementa implementan implementaci* subclase* hereda* extiend* redefine*
		implementam implementaç* herda* estende*
		implementano implementazion* sottoclass* eredita*
		implementeert implementeren subklasse* erft
		implementuj* dziedzicz* podklas*
		реализу* реализац* наслед* подкласс*
		miras uygulayan*`),
	Tests: stems(`
		test tests tested testing testcase* unittest* spec specs covers covered coverage
		getestet* teste testet testen testé testée testeado probado prueba pruebas prueban testes testa testado testato testano testy testuj* тест* протестирован*`),
}

// runStems are the stems of scripts without spaces.
var runStems = map[Relation][]string{
	Uses:            strings.Fields("调用 調用 呼叫 使用 用到 引用 呼び出 呼んで 呼ばれ 使って 使われ 使う 利用 参照 호출 사용 부르"),
	Implementations: strings.Fields("实现 實現 実装 继承 繼承 継承 子类 派生 サブクラス 구현 상속 하위"),
	Tests:           strings.Fields("测试 測試 テスト 테스트"),
}

// placeWords ask where something is. "Where is Store implemented" asks for one place, "who
// implements Store" for many.
var placeWords = set("where wo où dónde donde onde dove waar gdzie где nerede hvor")

// mannerWords ask how something is done: "how do I use Store" asks for Store itself.
var mannerWords = set("how wie comment cómo como come hoe jak как nasıl hur hvordan")

// countWords after one of the mannerWords still ask for places: "how many functions call Store".
var countWords = set("many often viele oft muchos muchas muitos muitas veel vaak много часто")

func asksManner(words []word) bool {
	return mannerWords[words[0].text] && !(len(words) > 1 && countWords[words[1].text])
}

// verbsOfOne are stems of Implementations that, in a question for a location, ask how that one
// thing is made.
var verbsOfOne = stems("implement implements implementing implementier* implément* implementa implementan implementam implementano implementeert реализу* implementuj*")

// compounds form a different term with the word before them: "the call stack", "the test suite".
var compounds = set("stack stacks site's convention graph suite framework runner case interface context id name type")

// children before a word for a class ask for what extends it, in languages that have no single word
// for that.
var (
	children   = set("child children sub sous filles hijas filhas figlie derived")
	classStems = stems("class* klass* clas* type* tipo*")
)

func stems(words string) []string { return strings.Fields(words) }

func isStem(word string, list []string) bool {
	return slices.ContainsFunc(list, func(stem string) bool {
		begin, open := strings.CutSuffix(stem, "*")
		return word == stem || open && strings.HasPrefix(word, begin)
	})
}

// maxRelationWords is the length limit of a prompt that asks for a relation and nothing else.
const maxRelationWords = 24

// readRelation returns the relation that a prompt asks for, and the words, in lower case, with
// which it does. A prompt that orders a change asks for none: there the relation is part of the
// change.
func readRelation(d *document, s *Signals) (Relation, []string) {
	if len(d.words) == 0 || len(d.words) > maxRelationWords || taskVerbs[s.Order] || repairVerbs[s.Order] || suggests(d.words) {
		return "", nil
	}
	for _, rel := range []Relation{Tests, Implementations, Uses} {
		var said []string
		for i, w := range d.words {
			if d.lines[w.line].ask && rel.isSaid(d.words, i) {
				said = append(said, w.text)
			}
		}
		if len(said) > 0 {
			return rel, said
		}
	}
	return "", nil
}

// otherwiseMeant are words of Tests that mean something else unless a symbol is named: "what does
// the spec say", "what is covered by the licence".
var otherwiseMeant = set("spec covers covered")

// asksTests reports whether the words that ask for a relation are about tests by themselves.
func asksTests(said []string) bool {
	return slices.ContainsFunc(said, func(word string) bool { return !otherwiseMeant[word] })
}

// modals before a verb suggest or request a change: "we should call ours Store", "can we add tests
// for Store?".
var modals = set("should must could can may might would shall will to let's lets please")

// plainForms are the verbs of relations in the form that follows modals.
var plainForms = set("call use invoke reference implement extend derive override inherit test cover")

// modalWithin is how many words before its verb a modal may be.
const modalWithin = 3

// suggests reports whether a prompt is about what to do rather than what is.
func suggests(words []word) bool {
	for i, w := range words {
		if (plainForms[w.text] || taskVerbs[w.text] || repairVerbs[w.text]) &&
			slices.ContainsFunc(words[max(0, i-modalWithin):i], func(o word) bool { return modals[o.text] }) {
			return true
		}
	}
	return false
}

// isSaid reports whether a word of a prompt asks for the relation.
func (rel Relation) isSaid(words []word, at int) bool {
	w := words[at].text
	if r, _ := utf8.DecodeRuneInString(w); isUnspaced(r) {
		return slices.ContainsFunc(runStems[rel], func(stem string) bool { return strings.Contains(w, stem) })
	}
	first, behind := words[0].text, ""
	if at+1 < len(words) {
		behind = words[at+1].text
	}
	if rel == Implementations && children[w] && isStem(behind, classStems) {
		return true
	}
	if !isStem(w, relationStems[rel]) {
		return false
	}
	switch {
	case compounds[behind]:
		return false
	case rel == Uses:
		return !asksManner(words) && !isCallee(words, at)
	case rel == Implementations:
		return !asksManner(words) && !(isStem(w, verbsOfOne) && placeWords[first])
	}
	return true
}

// isCallee reports whether an English question asks what something itself calls ("what does X
// call") or is called ("a function called X").
func isCallee(words []word, at int) bool {
	switch words[at].text {
	case "called":
		return at > 0 && at+1 < len(words) && nounsOfCode[words[at-1].text]
	case "call", "use", "invoke", "reference":
		first := words[0].text
		return (first == "what" || first == "which") && slices.ContainsFunc(words[:at], func(o word) bool { return o.text == "does" })
	}
	return false
}

// nounsOfCode precede "called" and a name.
var nounsOfCode = set("function method class struct type interface variable constant module package file something one")
