package extract

import "strings"

// commands are the programs that people are told to run, each with the words that make it a command in the middle of
// a sentence; "*" where any argument does.
var commands = map[string]map[string]bool{
	"git": wordSet(`add commit push pull fetch clone checkout switch branch merge rebase reset revert stash log diff status show tag bisect blame
		cherry-pick worktree init remote restore rm mv config clean submodule grep`),
	"go":     wordSet("test build run vet mod get install generate fmt tool work env list clean doc"),
	"npm":    wordSet("install i ci run test start publish init exec audit update add uninstall"),
	"pnpm":   wordSet("install i run test add dlx exec update remove"),
	"yarn":   wordSet("install add run test build dev remove"),
	"bun":    wordSet("install add run test build"),
	"cargo":  wordSet("test build run check clippy fmt add bench doc update install"),
	"docker": wordSet("run build compose exec ps logs pull push images stop rm system"), "podman": wordSet("run build exec ps"),
	"kubectl": wordSet("get apply describe logs delete exec rollout port-forward create edit scale"),
	"helm":    wordSet("install upgrade template uninstall repo"), "terraform": wordSet("plan apply init destroy import fmt validate"),
	"pip": wordSet("install uninstall freeze list"), "pip3": wordSet("install uninstall freeze list"), "uv": wordSet("run pip sync add venv lock"),
	"poetry": wordSet("install add run lock update"), "apt": wordSet("install update remove"), "apt-get": wordSet("install update remove"),
	"brew": wordSet("install upgrade update services"), "systemctl": wordSet("start stop restart status enable daemon-reload"),
	"gh": wordSet("pr issue run repo api release"), "mvn": wordSet("test clean package install verify"), "bazel": wordSet("build test run query"),
	"dotnet": wordSet("build test run restore publish add"), "gradle": wordSet("build test"), "make": nil, "pytest": nil, "python": nil,
	"python3": nil, "node": nil, "npx": nil, "curl": nil, "wget": nil, "ssh": nil, "scp": nil, "rsync": nil, "psql": nil, "sudo": nil, "grep": nil,
	"rg": nil, "sed": nil, "awk": nil, "chmod": nil, "chown": nil, "tar": nil, "jq": nil, "eslint": nil, "tsc": nil, "ruff": nil, "mypy": nil,
	"alembic": wordSet("upgrade downgrade revision"), "rails": wordSet("db:migrate server console generate"), "redis-cli": nil, "mkdir": nil,
	"rm": nil, "cp": nil, "mv": nil, "ls": nil, "cd": nil, "cat": nil, "export": nil, "source": nil, "echo": nil,
}

// commandEnd is the end of the command that s begins with, 0 when it begins with none. In prose a command is a known
// program with an argument that no sentence would have there; it goes on while its words look like arguments.
func commandEnd(s string) int {
	name := s[:nextSpace(s, 0)]
	subs, known := commands[name]
	if !known {
		if !strings.HasPrefix(name, "./") || len(name) < 4 {
			return 0
		}
	}
	end, args := len(name), 0
	for at := end; at < len(s) && args < 40; args++ {
		if s[at] != ' ' {
			break
		}
		next := nextSpace(s, at+1)
		arg := strings.TrimRight(s[at+1:next], ".,;:!?)")
		if arg == "" || !(argument(arg) || args == 0 && subs[arg]) {
			if args == 0 || args > 1 || subs == nil || !simpleName(arg) || len(arg) != next-at-1 && false || stopWords[arg] {
				break
			}
		}
		end = at + 1 + len(arg)
		if end < next { // a mark of the sentence stood behind it
			args++
			break
		}
		at = next
	}
	if args == 0 || end == len(name) {
		return 0
	}
	return end
}

func nextSpace(s string, i int) int {
	for i < len(s) && !isSpace(s[i]) && s[i] != '`' {
		i++
	}
	return i
}

// argument tells what can only be a command's argument: a flag, a path, an assignment, a quoted string, a pipe.
func argument(a string) bool {
	switch a {
	case "|", "&&", "||", ">", ">>", "<", "2>&1", ".", "..", "-":
		return true
	}
	return a[0] == '-' && len(a) > 1 || a[0] == '"' || a[0] == '\'' || a[0] == '$' || isPath(a) || strings.Contains(a, "/") && pathBytes(a) ||
		strings.Contains(a, "=") || strings.Contains(a, "://") || strings.Contains(a, ":") && len(a) > 3
}

func simpleName(a string) bool {
	for i := range len(a) {
		if !wordByte(a[i]) && a[i] != '-' {
			return false
		}
	}
	return len(a) > 1
}
