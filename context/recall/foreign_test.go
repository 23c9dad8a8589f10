package recall

import (
	"strings"
	"testing"
)

// TestAQuestionInAnotherLanguage finds statements in English, and those in its own language as
// before.
func TestAQuestionInAnotherLanguage(t *testing.T) {
	english := dialog(t, 100, "The password of the harbour server lies in the vault.", "Good to know.", "Lunch was fine.", "Indeed.")
	for _, query := range []string{"Wo ist das Passwort?", "где пароль пользователя?", "où est le mot de passe du serveur ?", "¿dónde está la contraseña?"} {
		if got := answer(t, english, query, "turn"); !strings.Contains(got, "lies in the vault") {
			t.Errorf("%q: %s", query, got)
		}
	}
	german := dialog(t, 100, "Das Passwort liegt im Tresor.", "Gut.", "the password is elsewhere", "ja")
	if got, err := translated(t.Context(), "Wo liegt das Passwort?", german); err != nil || !strings.Contains(got, "Passwort") {
		t.Errorf("a word that memory has is replaced: %q, %v", got, err)
	}
	if got, _ := translated(t.Context(), "Where is the password?", german); got != "Where is the password?" {
		t.Errorf("an English query became %q", got)
	}
}
