package knowledge

import "testing"

// TestIsFailure checks that failing output is distinguished from files that mention failures.
func TestIsFailure(t *testing.T) {
	for line, want := range map[string]bool{
		"./pay.go:12:5: undefined: charge":                          true,
		"pay.c:12: error: expected ';' before '}'":                  true,
		"--- FAIL: TestCharge (0.02s)":                              true,
		"    pay_test.go:31: expected 3, got 4":                     true,
		"TypeError: Cannot read properties of undefined":            true,
		"bash: gradle: command not found":                           true,
		"12 passed, 0 failed":                                       false,
		"    27→\t\texpected bool":                                  false,
		"pkg/pay/watch.go:121:\t\t\tlog.Debug(\"failed to watch\")": false,
		"pkg/pay/watch.go-122-\t\t\treturn errUnexpected":           false,
		"868:\tt.Fatalf(\"expected %d\", n)":                        false,
		"+\tif err != nil { // unexpected":                          false,
		"// returns an error: not found":                            false,
		"  msg := fmt.Sprintf(\"failed: %v\", err)":                 false,
		"| conflict | what to do |":                                 false,
		"throw new Error(\"timeout\");":                             false,
	} {
		if got := isFailure(line + "\n"); got != want {
			t.Errorf("%q is a failure: %v", line, got)
		}
	}
}
