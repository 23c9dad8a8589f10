package engine

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"
)

// powerFolder is where Linux tells of batteries and mains; where it is not there, nothing is known
// of them.
const powerFolder = "/sys/class/power_supply"

// powerInterval is how often it is looked at, at most.
const powerInterval = 30 * time.Second

// power tells whether the machine runs on its battery. Safe for concurrent use.
type power struct {
	files fs.FS // of powerFolder
	now   func() time.Time

	mu      sync.Mutex // guards all below
	looked  time.Time
	battery bool
}

// onBattery reports whether a battery of the machine is being discharged and no mains is there.
func (p *power) onBattery() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.now(); p.looked.IsZero() || now.Sub(p.looked) >= powerInterval {
		p.looked, p.battery = now, discharging(p.files)
	}
	return p.battery
}

// discharging looks at all supplies (Linux, Documentation/ABI/testing/sysfs-class-power). Batteries
// of mice and the like are none of the machine's.
func discharging(files fs.FS) bool {
	supplies, err := fs.ReadDir(files, ".")
	if err != nil {
		return false // no such system
	}
	battery := false
	for _, s := range supplies {
		says := func(name string) string {
			raw, _ := fs.ReadFile(files, path.Join(s.Name(), name)) // what is not told is not so
			return strings.TrimSpace(string(raw))
		}
		switch kind := says("type"); {
		case says("scope") == "Device":
		case kind == "Battery":
			battery = battery || says("status") == "Discharging"
		case (kind == "Mains" || kind == "USB") && says("online") == "1":
			return false
		}
	}
	return battery
}
