package server

import (
	"strings"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// minAddress is the length from which the beginning of an id in a query means its conversation. It
// is that of the ids that Git and the hosts of assistants abbreviate to.
const minAddress = 8

// addressed limits a recall to the conversation whose id the query names, as answers print it, and
// takes the id out of the query. It returns the id of the item that the query names by that: the
// turn, if the query names one, else the conversation's arc. It is "" when the query names none or
// several.
func (k *recallRequest) addressed() (named string, err error) {
	if k.view == nil || k.found.Scope != nil {
		return "", nil
	}
	words := strings.Fields(k.args.Query)
	for i, word := range words {
		word = strings.Trim(word, ".,:;?!()[]<>\"'`")
		if len(word) < minAddress || !strings.ContainsAny(word, "0123456789") {
			continue
		}
		ids, err := k.view.Conversations.Beginning(word, 2)
		if err != nil {
			return "", err
		}
		// A whole id sorts before those that go on.
		if len(ids) == 0 || len(ids) > 1 && ids[0] != word && !strings.HasSuffix(ids[0], "/"+word) {
			continue
		}
		info, err := k.view.Conversations.Find(ids[0])
		if err != nil {
			return "", err
		}
		k.found.Scope, k.args.ConversationID = &info, info.ID
		named = "arc:" + info.ID
		rest := append(words[:i:i], words[i+1:]...)
		for j, other := range rest {
			if turn, err := dialogue.ParseTurn(strings.Trim(other, ".,:;?!()")); err == nil {
				named, rest = remember.TurnsID(info.ID, turn, turn), append(rest[:j:j], rest[j+1:]...)
				break
			}
		}
		k.args.Query = strings.Join(rest, " ")
		return named, nil
	}
	return "", nil
}
