package chunk

import (
	"strings"
	"testing"
)

func TestComponentNames(t *testing.T) {
	for file, want := range map[string]string{
		"src/Pay.vue": "Pay", "my-button.vue": "MyButton", "Row.svelte": "Row", "Card.astro": "Card", "App.test.vue": "App",
		"page.astro": "", "+page.svelte": "", "index.vue": "", "[slug].astro": "", "404.vue": "", "my-page.astro": "", "日本.vue": "",
	} {
		if got := componentName(file, Language(file, nil)); got != want {
			t.Errorf("%s is %q, want %q", file, got, want)
		}
	}
}

// TestTornComponents checks that what does not end, or is no component's syntax, costs only itself.
func TestTornComponents(t *testing.T) {
	p := NewParser(Options{})
	defer p.Close()
	for _, c := range []struct{ name, src, refs string }{
		{"a.vue", "<template><p @click=\"go()\"", "go"},
		{"b.vue", "<script>\nfunction one() { two() }\n", "two"},
		{"c.vue", "<template><p :a=\"go(1)\">{{ show( }}</p><b>{{ last() }}</b></template>", "go"},
		{"d.svelte", "<p on:click={go}>{#if open(", "go"},
		{"e.astro", "---\nload()\n", "load"},
		{"f.astro", "---\nload() // last\n---\n<A/>{show()}", "A load show"},
		{"g.vue", "<script>\r\nload()\r\n</script>\r\n<template>\r\n<i @x=\"go\"\r\n/></template>\r\n", "go load"},
	} {
		file := p.Parse(c.name, []byte(c.src))
		if err := verify([]byte(c.src), file, defaultTarget); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := map[string]bool{}
		for _, r := range file.Refs {
			got[r.Name] = true
		}
		for _, want := range strings.Fields(c.refs) {
			if !got[want] && len(want) > 1 {
				t.Errorf("%s refers to %v, not to %s", c.name, file.Refs, want)
			}
		}
	}
}

func FuzzComponents(f *testing.F) {
	for name, src := range samples(f) {
		if ComponentFile(name) {
			f.Add(name, src)
		}
	}
	p := NewParser(Options{TargetTokens: goldenTarget})
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		if len(src) > 1<<14 || !ComponentFile(name) {
			return
		}
		if err := verify(src, p.Parse(name, src), goldenTarget); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	})
}
