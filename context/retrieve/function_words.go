package retrieve

import "strings"

// functionWords are the commonest words of some languages that carry no topic: articles, pronouns,
// prepositions, question words, auxiliary verbs. A prompt that has them is in that language, and
// their absence from the workspace is no evidence of what the prompt is about. English ones are not
// terms at all, see package lexical.
var functionWords = func() map[string]bool {
	out := map[string]bool{}
	for _, words := range []string{
		"der die das den dem des ein eine einen einem einer und oder aber ist sind war waren wird werden wurde wie wo was wer wann warum welche welcher welches nicht mit von zu zum zur im in auf aus bei nach für über es ich du wir ihr sie man mir mich dir uns kann soll hat haben sich dass wenn als auch noch nur so bitte",
		"le la les un une des du de et ou mais est sont était être a ont comment où quoi que qui quand pourquoi quel quelle quels quelles ne pas avec pour par dans sur sous en au aux ce cette ces il elle on nous vous ils je tu me te se lui leur y plus tout",
		"el la los las un una unos unas y o pero es son era fue ser está están como cómo dónde donde qué que quién quien cuándo cuando por para con sin en de del al se lo le les me te nos su sus mi tu hay más este esta esto",
		"o a os as um uma e ou mas é são foi ser está como onde que quem quando por porque para com sem em no na nos nas de do da dos das ao se me te lhe seu sua isso este esta mais não",
		"il lo la i gli le un uno una e o ma è sono era essere come dove che chi quando perché per con senza in nel nella di del della da al si mi ti ci non più",
		"de het een en of maar is zijn was wordt worden hoe waar wat wie wanneer waarom niet met van naar voor op in uit bij te er ik je we ze dat dit die",
	} {
		for w := range strings.FieldsSeq(words) {
			out[w] = true
		}
	}
	return out
}()
