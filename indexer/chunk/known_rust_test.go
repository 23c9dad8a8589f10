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
