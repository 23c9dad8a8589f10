package main

import "github.com/contexture-dev/contexture/server/hosts"

// checkHooks warns of each host that was set up and whose own setting stops the hooks.
func (p *patient) checkHooks() {
	m, err := p.f.machine()
	if err != nil {
		return // checkState reports it
	}
	for _, h := range hosts.All() {
		if setting, path := h.HooksOff(m.Env); setting != "" && hosts.Installed(m.StateDir, h.Name) {
			p.add("hooks", warning, h.Title+" runs none: "+setting+" in "+m.Short(path), "remove that setting, or no context comes with your prompts there")
		}
	}
}
