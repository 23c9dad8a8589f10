package arc

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cue is what a word or a phrase indicates. Cues only add to the evidence from the model and from a
// sentence's position; a language without cues loses recall, not precision. The package contains no
// other words.
type cue byte

const (
	agree    cue = iota // begins a reply that agrees
	settle              // announces a choice
	decision            // names one, in a label: "Decision: …"
	renew               // announces that a choice has changed
	withdraw            // retracts an earlier statement
	deferred            // leaves a question to others or for later
	pending             // leaves a question open, in a short reply
	offer               // begins a question that asks for permission, not for information
	contrast            // precedes an alternative that was not taken
	ruled               // follows one
	ordinal             // the first option; the next two cues are the second and the third
	numCues  = ordinal + 3
)

var phrases = [numCues]string{
	agree: `yes|yep|yeah|ok|okay|sure|agreed|fine|great|good|right|sounds good|go ahead|go for it|do it|do that|let's do|perfect|exactly
		ja|jo|genau|gut|einverstanden|passt|machen wir|so machen|klingt gut|gerne|oui|d'accord|ça marche|parfait|vas-y|on fait
		sí|si|vale|de acuerdo|dale|perfecto|hecho|sim|beleza|fechado|combinado|pode ser|isso|да|хорошо|давай|согласен|ок
		はい|いいですね|そうしましょう|賛成|了解|それで|じゃあ|では|好|行|可以|同意|没问题|就这|那就`,
	settle: `decided|settled|final|it is|we go with|going with|entschieden|beschlossen|festgelegt|bleibt dabei|décidé|tranché|on part sur
		decidido|decidimos|quedamos|fechado|decidiu|ficamos com|решили|решено|決め|決ま|決定|にします|决定|定了|就用`,
	decision: `decision|entscheidung|beschluss|beschlüss|décision|decisión|decisão|decisões|решени`,
	renew: `after all|actually|instead|on second thought|correction|no longer|switch|doch|lieber|stattdessen|finalement|en fait|plutôt
		al final|mejor|en realidad|na verdade|afinal|melhor|всё-таки|лучше|やっぱり|やはり|还是|换成|改用|改成`,
	withdraw: `forget it|forget the|forget that|forget about|scrap that|scrap the|never mind|nevermind|leave it|let's not|revert that|undo that|skip it|drop that|nope
		lass mal|lassen wir|vergiss|doch nicht|laisse tomber|oublie|déjalo|olvídalo|olvida|deixa pra lá|esquece|забудь|не надо|やめ|なしで|算了|取消|不用了`,
	deferred: `don't know yet|not sure yet|no idea|find out|have to ask|need to ask|must ask|i'll ask|let me ask|need to check|have to check|must check|i'll check|waiting for|haven't decided|undecided
		not decided|sleep on it|think about it|for later|discuss|still open|nobody told|weiß ich noch nicht|muss ich|klären|besprechen|später|noch offen|je ne sais pas|demande à|demander|à voir|on verra
		no sé|tengo que|preguntar|pendiente|ainda não|preciso|perguntar|depois|не знаю|спросить|позже|確認し|分かりません|わかりません|後で|あとで|検討|得问|不知道|还没定|没定|未定|待定|等|以后再`,
	pending: `open|wait for|offen|später|ouverte|ouvert|en attente|pendiente|abierto|em aberto|pendente|открыт|保留|先留`,
	offer:   `want me|shall i|should i|do you want me|would you like|anything else|soll ich|möchtest du|noch etwas|veux-tu que|voulez-vous|autre chose|quieres que|algo más|quer que|mais alguma|しましょうか|需要我|要我`,
	contrast: `instead of|rather than|, not|and not|but not|statt|anstatt|anstelle von|, nicht|und nicht|und kein|und keine|und keinen|au lieu de|plutôt que|, pas|et pas
		en vez de|en lugar de|y no|em vez de|ao invés de|e não|invece di|вместо|, не|а не|而不是|而非`,
	ruled:       `ではなく|じゃなく|でなく`,
	ordinal + 0: `first|ersten|erste|premier|première|primero|primera|primeiro|первый|一つ目|第一`,
	ordinal + 1: `second|zweite|zweiten|deuxième|second|segundo|segunda|второй|二つ目|第二`,
	ordinal + 2: `third|dritte|dritten|troisième|tercero|tercera|terceiro|третий|三つ目|第三`,
}

type phrase struct {
	text string
	cue  cue
}

// byRune holds the phrases by their first character.
var byRune = func() map[rune][]phrase {
	m := map[rune][]phrase{}
	for c, list := range phrases {
		for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == '|' || r == '\n' || r == '\t' }) {
			first, _ := utf8.DecodeRuneInString(text)
			m[first] = append(m[first], phrase{text, cue(c)})
		}
	}
	return m
}()

// lower returns a text in lower case with every character at its original byte offset.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

// longCue is the length in bytes from which a cue may have an ending and is still no other word.
const longCue = 5

// scan calls found for each cue in a lower-case text, in order. A cue must not be part of a longer
// word, except in scripts without spaces and for the endings of pending and decision, whose words
// are adjectives and nouns.
func scan(low string, found func(c cue, start, end int)) {
	last := ' '
	for i, r := range low {
		if !unicode.IsLetter(r) || !unicode.IsLetter(last) || r >= 0x2E80 {
			for _, p := range byRune[r] {
				if strings.HasPrefix(low[i:], p.text) {
					end := i + len(p.text)
					if r >= 0x2E80 || (p.cue == pending || p.cue == decision) && len(p.text) >= longCue {
						found(p.cue, i, end)
					} else if after, _ := utf8.DecodeRuneInString(low[end:]); !unicode.IsLetter(after) || after >= 0x2E80 {
						found(p.cue, i, end)
					}
				}
			}
		}
		last = r
	}
}

// agrees returns the length of the words at the start of a lower-case text that only agree.
func agrees(low string) int {
	end := 0
	scan(low, func(c cue, start, stop int) {
		if c == agree && strings.IndexFunc(low[min(end, start):start], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0 {
			end = max(end, stop)
		}
	})
	return end
}
