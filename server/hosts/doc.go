// Package hosts supports the programs in which assistants run: it defines where each keeps its
// configuration, what that contains when the host uses Contexture, and in which form the host
// passes an event to a hook and reads the answer.
//
// The writers and the hooks' forms are pure: bytes in, bytes out. A writer changes only the
// program's own parts; comments, order and layout of the rest are preserved byte for byte. [Plan]
// reads files and [Plan.Apply] writes them: there is no other I/O.
//
// What each host reads, by the documents of these revisions:
//
//   - Claude Code: code.claude.com/docs/en/settings, /mcp and /hooks, October 2026. Servers are in
//     ~/.claude.json, hooks in ~/.claude/settings.json. An answer of more than 10,000 characters
//     reaches the model as a preview only.
//   - Codex: developers.openai.com/codex/hooks and /codex/mcp, October 2026; schemas in
//     codex-rs/hooks/schema. Servers are in config.toml, hooks in hooks.json, which the person must
//     trust once by /hooks. An answer of more than 2,500 tokens, of four bytes each, reaches the
//     model as a preview only.
//   - Cursor: cursor.com/docs/hooks, September 2026: ~/.cursor/mcp.json and hooks.json. The page
//     lists no field for context in beforeSubmitPrompt; the client accepts additional_context there
//     since 2026.07, and other versions ignore it.
//   - VS Code: code.visualstudio.com/docs/agent-customization/hooks, June 2026, and
//     /agents/reference/hooks-reference, July 2026 (both a preview): mcp.json and settings.json in
//     the user's folder, ~/.copilot/hooks/*.json. The page promises that context of SessionStart
//     reaches the model; for UserPromptSubmit it lists the common fields only, so the prompt's
//     context is sent in the form of Claude Code, whose hook files VS Code reads too.
//   - OpenCode: opencode.ai/docs/plugins and @opencode-ai/plugin, V1: opencode.json or
//     opencode.jsonc, and a plugin in plugins/, which the host loads by itself.
//   - Gemini CLI: docs/hooks/reference.md of google-gemini/gemini-cli, 0.27 and newer:
//     ~/.gemini/settings.json holds both. Timeouts are in milliseconds there, in seconds elsewhere.
//   - Zed: zed.dev/docs/ai/mcp: context_servers in settings.json. No hooks.
//   - Cline: docs.cline.bot/getting-started/config: cline_mcp_settings.json below ~/.cline/data,
//     and the one in the extension's storage of earlier versions. Hooks by /customization/hooks and
//     apps/vscode/proto/cline/hooks.proto of cline/cline, August 2026: executable files named after
//     the event in Documents/Cline/Hooks. Versions 4.0 to 4.1.17 discard the context of TaskStart
//     and UserPromptSubmit, and no version from 4.0 on runs TaskResume or PreCompact.
//   - Continue: docs.continue.dev/reference: mcpServers in ~/.continue/config.yaml. No hooks.
//   - Windsurf: docs.windsurf.com/windsurf/cascade/mcp: ~/.codeium/windsurf/mcp_config.json. Its
//     hooks accept no context.
//   - Sub-agents: code.claude.com/docs/en/sub-agents, developers.openai.com/codex/subagents (TOML),
//     cursor.com/docs/subagents, opencode.ai/docs/agents and docs/core/subagents.md of
//     google-gemini/gemini-cli, each in the folder agents beside the host's settings.
//   - Neovim: the plugin of this repository reads the program's path from g:contexture_program.
package hosts
