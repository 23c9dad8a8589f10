package engine

import (
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"
)

// powerFolder is where Linux describes batteries and mains; if it does not exist, nothing is known
// of them.
const powerFolder = "/sys/class/power_supply"

// powerInterval is the smallest time between two checks.
const powerInterval = 30 * time.Second

// power determines whether the machine runs on its battery. Safe for concurrent use.
type power struct {
	files fs.FS // of powerFolder
	now   func() time.Time

	mu      sync.Mutex // guards all below
	looked  time.Time
	battery bool
}

// onBattery reports whether a battery of the machine is discharging without mains.
func (p *power) onBattery() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.now(); p.looked.IsZero() || now.Sub(p.looked) >= powerInterval {
		p.looked, p.battery = now, discharging(p.files)
	}
	return p.battery
}

// discharging examines all supplies (Linux, Documentation/ABI/testing/sysfs-class-power). It
// ignores batteries of peripherals such as mice.
func discharging(files fs.FS) bool {
	supplies, err := fs.ReadDir(files, ".")
	if err != nil {
		return false // not such a system
	}
	battery := false
	for _, s := range supplies {
		says := func(name string) string {
			raw, _ := fs.ReadFile(files, path.Join(s.Name(), name)) // a missing attribute counts as false
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
