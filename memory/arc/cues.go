package arc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The cues below are all words that this package knows. Each only adds to what the model and the place of a sentence
// say; a language without cues loses recall, not precision.
var (
	// accepts begin a reply that agrees.
	accepts = cues(`yes|yep|yeah|ok|okay|sure|agreed|fine|great|good|right|sounds good|go ahead|go for it|do it|do that|let's do|perfect|exactly
		ja|jo|genau|gut|einverstanden|passt|machen wir|so machen|klingt gut|gerne|oui|d'accord|ça marche|parfait|vas-y|on fait
		sí|si|vale|de acuerdo|dale|perfecto|hecho|sim|beleza|fechado|combinado|pode ser|isso|да|хорошо|давай|согласен|ок
		はい|いいですね|そうしましょう|賛成|了解|それで|じゃあ|では|好|行|可以|同意|没问题|就这|那就`)
	// settles say that a choice was made.
	settles = cues(`decided|settled|final|it is|we go with|going with|we're on|entschieden|beschlossen|festgelegt|bleibt dabei|décidé|tranché|on part sur
		decidido|decidimos|quedamos|fechado|decidiu|ficamos com|решили|решено|決め|決定|にします|决定|定了|就用`)
	// changes say that it was made anew.
	changes = cues(`after all|actually|instead|on second thought|correction|no longer|take that back|switch|doch|lieber|stattdessen|finalement|en fait|plutôt
		al final|mejor|en realidad|na verdade|afinal|melhor|всё-таки|лучше|やっぱり|やはり|还是|换成|改用|改成`)
	// withdraws take back what was said before.
	withdraws = cues(`forget it|forget the|forget that|forget about|scrap that|scrap the|never mind|nevermind|leave it|let's not|revert that|undo that|skip it|drop that|nope
		lass mal|lassen wir|vergiss|doch nicht|laisse tomber|oublie|déjalo|olvídalo|olvida|deixa pra lá|esquece|забудь|не надо|やめ|なしで|算了|取消|不用了`)
	// defers put a question to others or to later.
	defers = cues(`don't know yet|not sure yet|no idea|find out|have to ask|need to ask|must ask|i'll ask|let me ask|need to check|have to check|must check|i'll check|waiting for|haven't decided
		not decided|sleep on it|think about it|for later|park it|discuss|still open|nobody told|weiß ich noch nicht|muss ich|klären|besprechen|später|noch offen|je ne sais pas|demande à|demander|à voir|on verra
		no sé|tengo que|preguntar|pendiente|ainda não|preciso|perguntar|depois|не знаю|спросить|позже|確認し|分かりません|わかりません|後で|あとで|検討|得问|不知道|还没定|没定|等|以后再`)
	// pending is how a short reply leaves a question open.
	pending = cues(`open|undecided|parked|wait for|offen|später|ouverte|ouvert|en attente|pendiente|abierto|em aberto|pendente|открыт|未定|保留|待定|先留`)
	// offers begin a question that asks for leave, not for knowledge.
	offers = cues(`want me|shall i|should i|do you want me|would you like|anything else|soll ich|möchtest du|noch etwas|veux-tu que|voulez-vous|autre chose|quieres que|algo más|quer que|mais alguma|しましょうか|需要我|要我`)
	// contrasts stand before an alternative that was not taken, ruled behind it.
	contrasts = cues(`instead of|rather than|, not|and not|but not|statt|anstatt|anstelle von|, nicht|und nicht|und kein|und keine|und keinen|au lieu de|plutôt que|, pas|et pas
		en vez de|en lugar de|y no|em vez de|ao invés de|e não|invece di|вместо|, не|а не|而不是|而非`)
	ruled = cues(`ではなく|じゃなく|でなく`)
	// ordinals name the options of a list by their place.
	ordinals = [][]string{
		cues(`first|ersten|erste|premier|première|primero|primera|primeiro|первый|一つ目|第一`),
		cues(`second|zweite|zweiten|deuxième|second|segundo|segunda|второй|二つ目|第二`),
		cues(`third|dritte|dritten|troisième|tercero|tercera|terceiro|третий|三つ目|第三`),
	}
)

func cues(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == '|' || r == '\n' || r == '\t' })
}

// lower returns a text in lower case of the same length, so that what is found in it is found in the text.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

// find returns where the first of the cues stands as whole words in a text of lower case; start is -1 without one.
func find(low string, cues []string) (start, end int) {
	start = -1
	for _, cue := range cues {
		for from := 0; ; {
			i := strings.Index(low[from:], cue)
			if i < 0 {
				break
			}
			i += from
			if bounded(low, cue, i) && (start < 0 || i < start) {
				start, end = i, i+len(cue)
			}
			from = i + len(cue)
		}
	}
	return start, end
}

func has(low string, cues []string) bool {
	start, _ := find(low, cues)
	return start >= 0
}

// agrees returns the length of the words at the beginning of a text that only agree.
func agrees(text string) int {
	low, end := lower(text), 0
	for {
		rest := strings.TrimLeftFunc(low[end:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		start, most := len(low)-len(rest), 0
		for _, cue := range accepts {
			if len(cue) > most && strings.HasPrefix(rest, cue) && bounded(rest, cue, 0) {
				most = len(cue)
			}
		}
		if most == 0 {
			return end
		}
		end = start + most
	}
}

// bounded reports whether a cue at i is no part of a longer word. Scripts without spaces have no such border.
func bounded(low, cue string, i int) bool {
	first, _ := utf8.DecodeRuneInString(cue)
	if first >= 0x2E80 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(low[:i])
	after, _ := utf8.DecodeRuneInString(low[i+len(cue):])
	return (!unicode.IsLetter(first) || !unicode.IsLetter(before)) && !unicode.IsLetter(after)
}
