package chunk

import "testing"

// TestRustMacros checks which macros are read as code: with items, with arguments, with arms, and
// without parameters, but none with places to fill in.
func TestRustMacros(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a::cfg! { fn f() {} }", "          fn f() {}  "},
		{"impl T { x! { #[a] fn f() {} } }", "impl T {      #[a] fn f() {}   }"},
		{"fn f() { assert!(a(\"!(\"), '('); }", "fn f() { assert (a(\"!(\"), '('); }"},
		{"fn f() { vec![a; n] }", "fn f() { vec (a, n) }"},
		{"fn f() { matches!(x, A(_) if b) }", "fn f() { matches (x, A(_) ,  b) }"},
		{"fn f() { t::select! { v = a() => b(), else => c() } }", "fn f() {            { v = a() ;  b();      ;  c() } }"},
		{"fn f() { quote! { fn #name() {} } }", "fn f() { quote! { fn #name() {} } }"},
		{"macro_rules! m { () => { mod a; }; }", "                         mod a;     "},
		{"macro_rules! m { ($x:expr) => { a!($x) }; }", "macro_rules! m { ($x:expr) => { a!($x) }; }"},
		{"fn f() { if a != (b) { /* x!( */ } }", "fn f() { if a != (b) { /* x!( */ } }"},
	} {
		if got, _ := rustCode([]byte(tt.text), nil); string(got) != tt.want {
			t.Errorf("%q becomes\n%q, want\n%q", tt.text, got, tt.want)
		}
	}
}

// TestSetApart checks that an error around others sets macros apart only if those are in none.
func TestSetApart(t *testing.T) {
	calls := []Span{{10, 20}, {30, 60}, {40, 50}}
	whole := node{symbol: errorSymbol, start: 0, end: 100, next: 2}
	for _, c := range []struct{ start, end, want uint32 }{{42, 44, 1}, {12, 35, 2}, {70, 72, 3}} {
		apart := map[int]bool{}
		inner := node{symbol: errorSymbol, start: c.start, end: c.end, next: 2}
		if !setApart(apart, []node{whole, inner}, calls) || len(apart) != int(c.want) {
			t.Errorf("an error at %d in another one: %v apart, want %d", c.start, apart, c.want)
		}
	}
}
