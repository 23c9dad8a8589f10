/** Names of the programs that conversations are captured from: proper names, the same in every language. */
const names: Record<string, string> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  opencode: "OpenCode",
  gemini: "Gemini CLI",
  cline: "Cline",
  roo: "Roo Code",
  continue: "Continue",
  aider: "aider",
  specstory: "SpecStory",
  vscode: "VS Code",
  cursor: "Cursor",
};

export function sourceName(source: string): string {
  return names[source] ?? source;
}
