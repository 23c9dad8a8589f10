package retrieve

import "testing"

// TestTemplateCode checks what of a component's line counts as code.
func TestTemplateCode(t *testing.T) {
	for _, c := range []struct{ language, line, want string }{
		{"vue", `<b @click="pay('x')" class="pay()">`, `<b @click="pay('x')" class="     ">`},
		{"vue", `  :a="pay(1)" v-if="b"`, `  :a="pay(1)" v-if="b"`},
		{"vue", `const a = "pay()"`, `const a = "     "`},
		{"svelte", `<b title="{pay()}">`, `<b title="{pay()}">`},
		{"svelte", `let a = "pay()"`, `let a = "     "`},
		{"typescript", `a="pay()"`, `a="     "`},
	} {
		if got := codeOf(c.line, c.language); got != c.want {
			t.Errorf("%s: %s is %s, want %s", c.language, c.line, got, c.want)
		}
	}
	for name, want := range map[string]string{"MyButton": "<my-button", "Button": "", "myButton": "", "": ""} {
		if got := elementOf(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
