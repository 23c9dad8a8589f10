// Package settings holds the program's settings: typed, with defaults, validation and provenance.
package settings

// Settings are all settings of the program, as they hold for one session and root.
type Settings struct {
	// Enabled switches the whole program on; when false, commands answer unavailable and nothing is indexed.
	Enabled bool `key:"enabled" default:"true"`
}
