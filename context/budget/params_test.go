package budget

import "testing"

// A short conversation has room for each of its tokens, whatever the budget: rounding must not
// remove one.
func TestHistoryRoomOfShortTalk(t *testing.T) {
	for total := 3000; total <= 20_000; total += 977 {
		for tokens := 1; tokens <= 1800; tokens++ {
			if room := HistoryRoom(Input{Total: total, ConversationTokens: tokens, HasConversation: true}); room != tokens {
				t.Fatalf("%d tokens in a budget of %d have room for %d", tokens, total, room)
			}
		}
	}
}
