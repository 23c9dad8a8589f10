package engine

import (
	"testing"
	"testing/fstest"
	"time"
)

func supply(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	return out
}

func TestOnBattery(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  bool
	}{
		{"nothing", nil, false},
		{"discharging", map[string]string{"BAT0/type": "Battery", "BAT0/status": "Discharging", "AC/type": "Mains", "AC/online": "0"}, true},
		{"charging", map[string]string{"BAT0/type": "Battery", "BAT0/status": "Charging", "AC/type": "Mains", "AC/online": "1"}, false},
		{"mains and still discharging", map[string]string{"BAT0/type": "Battery", "BAT0/status": "Discharging", "AC/type": "Mains", "AC/online": "1"}, false},
		{"one of two", map[string]string{"BAT0/type": "Battery", "BAT0/status": "Full", "BAT1/type": "Battery", "BAT1/status": "Discharging"}, true},
		{"charged by USB", map[string]string{"BAT0/type": "Battery", "BAT0/status": "Discharging", "ucsi/type": "USB", "ucsi/online": "1"}, false},
		{"a mouse", map[string]string{"hid/type": "Battery", "hid/status": "Discharging", "hid/scope": "Device"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			p := &power{files: supply(tt.files), now: func() time.Time { return now }}
			if got := p.onBattery(); got != tt.want {
				t.Errorf("on battery: %t", got)
			}
			p.files = supply(nil)
			if got := p.onBattery(); got != tt.want {
				t.Error("it is looked at again at once")
			}
			if now = now.Add(powerInterval); p.onBattery() {
				t.Error("it is not looked at again")
			}
		})
	}
}

func TestNoPowerFolder(t *testing.T) {
	if discharging(fstest.MapFS{"x": {}}) {
		t.Error("a file says that there is a battery")
	}
}
