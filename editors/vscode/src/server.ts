/** The language client: one for the window, whatever folders it has. */
import * as vscode from "vscode";
import { State, TransportKind, type ConfigurationParams, type ExecuteCommandSignature } from "vscode-languageclient/node";
import { Client } from "./client";
import { Contract, settingKeys, type CommandId, type IndexStatusResult, type LearningStatus } from "./contract.gen";
import { findProgram, runs } from "./program";
import { messageOf } from "./register";
import { section } from "./settings";
import { together } from "./text";

/** How the server is, for whom it concerns. */
export interface Condition {
  running: boolean;
  status: IndexStatusResult | undefined;
  problem: string | undefined;
  /** The learning over a folder, while it goes on; undefined else. */
  learning?: LearningStatus | undefined;
}

/** A folder of the window that is on disk. */
export interface Root {
  name: string;
  uri: vscode.Uri;
  /** The URI as commands take it. */
  workspace: string;
}

/** The command that a code lens carries. The server's answer to it is a text that somebody must show. */
const lensCommand = "contexture.conversation.turn";

/** A notification of Contexture's own. */
export type ServerEvent = { kind: "status"; status: IndexStatusResult } | { kind: "learning"; learning: LearningStatus } | { kind: "memory"; version: number };

export class Server implements vscode.Disposable {
  private client: Client | undefined;
  private ready: Promise<void> | undefined;
  private readonly changed = new vscode.EventEmitter<Condition>();
  private now: Condition = { running: false, status: undefined, problem: undefined };
  /** Fires when the server starts, stops or reports on its index. */
  readonly onChanged = this.changed.event;
  private readonly notified = new vscode.EventEmitter<ServerEvent>();
  /** Fires for every notification of Contexture's own. */
  readonly onEvent = this.notified.event;
  /** The last status of each folder, by its URI. */
  private readonly statuses = new Map<string, IndexStatusResult>();
  readonly output = vscode.window.createOutputChannel("Contexture", { log: true });
  /** The commands of the contract. */
  readonly contract = new Contract((command, args) => this.execute(command, args));

  constructor(
    private readonly extension: vscode.Uri,
    private readonly openTurn: (conversationId: string, turnId: string) => Promise<void>,
  ) {}

  get condition(): Condition {
    return this.now;
  }

  /** The program and its arguments, without the subcommand; the problem says what to do. */
  program(): { program: string; args: string[] } | { problem: string } {
    const config = vscode.workspace.getConfiguration("contexture.client");
    const found = findProgram({
      setting: config.get<string>("path", "").trim(),
      extension: this.extension.fsPath,
      path: process.env["PATH"] ?? "",
      platform: process.platform,
      runs,
    });
    return "problem" in found ? found : { program: found.program, args: config.get<string[]>("arguments", []) };
  }

  /** Starts the server. It does not wait; what goes wrong is shown. */
  start(): void {
    const found = this.program();
    if ("problem" in found) {
      this.tell({ running: false, status: undefined, problem: found.problem });
      void this.missing(found.problem);
      return;
    }
    const client: Client = new Client(
      { command: found.program, args: [...found.args, "serve"], transport: TransportKind.stdio },
      {
        documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
        outputChannel: this.output,
        initializationOptions: {},
        middleware: {
          workspace: {
            configuration: (params: ConfigurationParams) => params.items.map((item) => this.settings(item.scopeUri)),
            didChangeConfiguration: (): Promise<void> => client.sendNotification("workspace/didChangeConfiguration", { settings: { contexture: this.settings(undefined) } }),
          },
          executeCommand: (command: string, args: unknown[], next: ExecuteCommandSignature) => this.run(command, args, next),
        },
      },
      () => void this.ended(),
    );
    this.client = client;
    const combined = (): IndexStatusResult | undefined => {
      const folders = this.roots().map((root) => root.workspace);
      for (const uri of this.statuses.keys()) if (!folders.includes(uri)) this.statuses.delete(uri);
      return together([...this.statuses.values()]);
    };
    client.onNotification("contexture/memory", ({ version }: { version: number }) => { this.notified.fire({ kind: "memory", version }); });
    client.onNotification("contexture/status", (status: IndexStatusResult) => {
      this.notified.fire({ kind: "status", status });
      this.statuses.set(status.workspace ?? "", status);
      this.tell({ running: true, status: combined() ?? status, problem: undefined, learning: this.now.learning });
    });
    client.onNotification("contexture/learning", (learning: LearningStatus) => {
      this.notified.fire({ kind: "learning", learning });
      this.tell({ ...this.now, learning: learning.state === "running" ? learning : undefined });
    });
    client.onDidChangeState(({ newState }) => {
      this.statuses.clear();
      // A program that ended is started again a few times; the last attempt leaves the client in a state of its own.
      const running = newState === State.Starting || newState === State.Running;
      if (this.client !== client) return;
      if (newState === State.Running) this.ready = Promise.resolve(); // also where the first attempt has failed
      this.tell({ running, status: undefined, problem: undefined });
    });
    this.tell({ running: true, status: undefined, problem: undefined });
    // Activation does not wait for the process to be made.
    this.ready = new Promise((resolve) => setImmediate(resolve)).then(() => client.start()).catch((error: unknown) => {
      const problem = vscode.l10n.t("Contexture did not start: {0}", messageOf(error));
      this.output.error(problem);
      this.tell({ running: false, status: undefined, problem });
      throw error;
    });
    this.ready.catch(() => undefined); // who waits for it is told
  }

  /** The folders that are on disk. */
  roots(): Root[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === "file")
      .map(({ name, uri }) => ({ name, uri, workspace: this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString() }));
  }

  /** The last status that the server told of a folder; undefined before the first. */
  statusOf(workspace: string): IndexStatusResult | undefined {
    return this.statuses.get(workspace);
  }

  /** Reports whether the server that runs has a command: an older one may lack it. Waits until the server has started. */
  async offers(command: string): Promise<boolean> {
    await this.ready;
    return this.client?.initializeResult?.capabilities.executeCommandProvider?.commands.includes(command) ?? false;
  }

  /** Executes a command of the contract. */
  async execute(command: CommandId, args: object, token?: vscode.CancellationToken): Promise<unknown> {
    if (!this.client || !this.ready) throw new Error(this.now.problem ?? vscode.l10n.t("Contexture is not running"));
    await this.ready;
    if (!this.now.running) throw new Error(this.now.problem ?? vscode.l10n.t("Contexture is not running"));
    const withRoot = { ...this.root(), ...args };
    const params = { command, arguments: [withRoot] };
    // A token that is undefined would be taken for a second parameter.
    return token ? this.client.sendRequest("workspace/executeCommand", params, token) : this.client.sendRequest("workspace/executeCommand", params);
  }

  /** The folder that a file is in; undefined for none of the window's. */
  rootOf(uri: vscode.Uri): Root | undefined {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder && this.roots().find((root) => root.uri.toString() === folder.uri.toString());
  }

  /** Several folders: the one of the active document is meant where a command names none. */
  private root(): { workspace?: string } {
    const [first, ...others] = this.roots();
    if (!first || others.length === 0) return {};
    const active = vscode.window.activeTextEditor?.document.uri;
    return { workspace: ((active && this.rootOf(active)) ?? first).workspace };
  }

  /** What a person has set, for the scope that the server asks about. */
  private settings(scope: string | undefined): Record<string, unknown> {
    const config = vscode.workspace.getConfiguration("contexture", scope ? vscode.Uri.parse(scope) : null);
    return section(settingKeys, (key) => config.inspect(key));
  }

  /** A command that VS Code runs for the server: that of a code lens opens its turn. */
  private async run(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
    const [first] = args as [{ conversationId?: string; turnId?: string } | undefined];
    if (command === lensCommand && first?.conversationId && first.turnId) {
      await this.openTurn(first.conversationId, first.turnId);
      return undefined;
    }
    return next(command, args) as unknown;
  }

  private tell(condition: Condition): void {
    this.now = condition;
    this.changed.fire(condition);
  }

  private async missing(problem: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(`Contexture: ${problem}`, vscode.l10n.t("Open Setting"));
    if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "contexture.client.path");
  }

  /** The program has ended time and again. */
  private async ended(): Promise<void> {
    const [restart, output] = [vscode.l10n.t("Restart"), vscode.l10n.t("Show Output")];
    const choice = await vscode.window.showErrorMessage(vscode.l10n.t("Contexture ended several times, and is not started again by itself. The output may say why."), restart, output);
    if (choice === restart) await this.restart();
    if (choice === output) this.output.show();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.ready = undefined;
    if (client) {
      await client.stop(5000).catch((error: unknown) => {
        this.output.warn(`stop: ${String(error)}`);
      });
      await client.dispose();
    }
    this.tell({ running: false, status: undefined, problem: undefined });
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
    this.notified.dispose();
    this.output.dispose();
  }
}
