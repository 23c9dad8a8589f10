package daemon

import (
	"testing"

	"pgregory.net/rapid"
)

func TestBuildCompare(t *testing.T) {
	for _, tt := range []struct {
		name         string
		older, newer Build
	}{
		{"version", Build{Version: "v1.2.3", Time: 9}, Build{Version: "v1.10.0", Time: 1}},
		{"without the v", Build{Version: "1.2.3"}, Build{Version: "1.3.0"}},
		{"before a release", Build{Version: "v2.0.0-rc.1", Time: 9}, Build{Version: "v2.0.0", Time: 1}},
		{"built by hand", Build{Version: "v9.9.9", Time: 9}, Build{Version: "dev", Time: 1}},
		{"built again", Build{Version: "dev", Time: 1, Size: 9}, Build{Version: "dev", Time: 2, Size: 1}},
		{"of the same moment", Build{Version: "dev", Time: 1, Size: 1}, Build{Version: "dev", Time: 1, Size: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.older.Compare(tt.newer) >= 0 || tt.newer.Compare(tt.older) <= 0 {
				t.Errorf("%v is not older than %v", tt.older, tt.newer)
			}
		})
	}
	if c := (Build{Version: "dev", Commit: "a", Time: 1}); c.Compare(c) != 0 {
		t.Error("a build is not the same as itself")
	}
}

// TestBuildOrder: of builds that are compared in a ring none is older than itself, so that they
// cannot replace one another for ever.
func TestBuildOrder(t *testing.T) {
	build := rapid.Custom(func(t *rapid.T) Build {
		return Build{
			Version: rapid.SampledFrom([]string{"dev", "", "v1.0.0", "1.0.0", "v1.0.1", "v1.0.0+dirty", "v0.0.0-20260101000000-abcdefabcdef", "nightly"}).Draw(t, "version"),
			Commit:  rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "commit"),
			Time:    rapid.Int64Range(0, 2).Draw(t, "time"), Size: rapid.Int64Range(0, 2).Draw(t, "size"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := build.Draw(t, "a"), build.Draw(t, "b"), build.Draw(t, "c")
		if a.Compare(b) != -b.Compare(a) {
			t.Fatalf("%v and %v: %d and %d", a, b, a.Compare(b), b.Compare(a))
		}
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 && a.Compare(c) > 0 {
			t.Fatalf("%v, %v and %v go round", a, b, c)
		}
		if (a.Compare(b) == 0) != (a == b) {
			t.Fatalf("%v and %v: %d", a, b, a.Compare(b))
		}
	})
}

func TestJudge(t *testing.T) {
	at := func(contract int, time int64) Versions {
		return Versions{Contract: contract, Index: 1, Memory: 1, Build: Build{Version: "dev", Time: time}}
	}
	requests := func(v Versions) Versions {
		v.Requests++
		return v
	}
	own := at(1, 5)
	for _, tt := range []struct {
		name    string
		purpose string
		client  Versions
		want    verdict
	}{
		{"session of the same", Session, at(1, 5), served},
		{"session of an older one", Session, at(1, 4), served},
		{"session of a newer one", Session, at(1, 6), outdated},
		{"session of an older one with another contract", Session, at(2, 4), incompatible},
		{"session of a newer one with another contract", Session, at(2, 6), outdated},
		{"command line of a newer one", CommandLine, at(1, 6), served},
		{"command line of a newer one with another contract", CommandLine, at(2, 6), incompatible},
		{"command line of one with other requests", CommandLine, requests(at(1, 6)), incompatible},
		{"editor of one with other requests", Session, requests(at(1, 4)), served},
		{"command of an earlier build", earlierCommand, at(1, 4), incompatible},
		{"a newer one wants the place", leave, at(2, 6), leaving},
		{"the same wants the place", leave, at(1, 5), refused},
		{"an older one wants the place", leave, at(1, 4), refused},
		{"no purpose", "", at(1, 5), refused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, _ := judge(Hello{Purpose: tt.purpose, Versions: tt.client}, own); got != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}
