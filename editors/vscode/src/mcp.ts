/** Offers the program as a server of the Model Context Protocol to VS Code's agents. It never asks the person anything. */
import * as vscode from "vscode";
import type { Server } from "./server";

/** The part of VS Code's interface that is younger than the oldest version served. */
interface Younger {
  lm: {
    registerMcpServerDefinitionProvider?: (id: string, provider: { provideMcpServerDefinitions: () => unknown[] }) => vscode.Disposable;
  };
  McpStdioServerDefinition?: new (label: string, command: string, args: string[], env: Record<string, string>, version: string) => unknown;
}

/** The definitions: one for each folder on disk. */
export function registerMcp(server: Server, version: string): vscode.Disposable {
  const { lm, McpStdioServerDefinition } = vscode as unknown as Younger;
  if (!lm.registerMcpServerDefinitionProvider || !McpStdioServerDefinition) return new vscode.Disposable(() => undefined);
  try {
    return lm.registerMcpServerDefinitionProvider("contexture.mcp", {
      provideMcpServerDefinitions: () => {
        const found = server.program();
        if ("problem" in found) return [];
        return (vscode.workspace.workspaceFolders ?? [])
          .filter((f) => f.uri.scheme === "file")
          .map((f) => new McpStdioServerDefinition(`Contexture (${f.name})`, found.program, [...found.args, "mcp", "--root", f.uri.fsPath], {}, version));
      },
    });
  } catch (error) {
    // VS Code 1.100 has the function, but wants another entry in the manifest: everything else works there.
    server.output.info(`no server of the Model Context Protocol is offered: ${String(error)}`);
    return new vscode.Disposable(() => undefined);
  }
}
