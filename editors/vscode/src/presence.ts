/** Tells the server where the person is, so that it prepares what they will ask about next. */
import * as vscode from "vscode";
import type { Server } from "./server";
import { Trail } from "./trail";

export class Presence implements vscode.Disposable {
  private readonly trail = new Trail();
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** The server does not predict here; nothing is reported until it starts again. */
  private unwanted = false;
  private sent = 0;

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor(() => { this.look(); }),
      vscode.window.onDidChangeTextEditorSelection(() => { this.sign(); }),
      vscode.workspace.onDidChangeTextDocument(() => { this.sign(); }),
      vscode.window.onDidChangeWindowState(({ focused }) => { if (focused) this.look(); }),
      server.onChanged(({ running }) => {
        if (!running) this.unwanted = false;
        else if (!this.unwanted) this.plan();
      }),
    ];
    this.look();
  }

  /** How many reports were sent. */
  get reports(): number {
    return this.sent;
  }

  /** The person speaks in a conversation. */
  speak(conversationId: string): void {
    this.trail.speak(conversationId, Date.now());
    this.plan();
  }

  private look(): void {
    const uri = vscode.window.activeTextEditor?.document.uri;
    this.trail.visit(uri?.scheme === "file" ? uri.toString() : undefined, Date.now());
    this.plan();
  }

  private sign(): void {
    this.trail.sign(Date.now());
    if (!this.timer) this.plan();
  }

  /** Comes back when there may be something to tell. */
  private plan(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const wait = this.trail.wait(Date.now());
    if (this.unwanted || !Number.isFinite(wait)) return;
    this.timer = setTimeout(() => { void this.tell(); }, wait);
  }

  private async tell(): Promise<void> {
    this.timer = undefined;
    const { running, status } = this.server.condition;
    if (!running || !status) return; // it is planned again when the server reports its status
    const report = this.trail.report(Date.now());
    if (report) {
      try {
        this.sent++;
        await this.server.contract.presence(report);
      } catch (error) {
        this.unwanted = true;
        this.server.output.debug(`presence: ${String(error)}`);
        return;
      }
    }
    this.plan();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const s of this.subscriptions) s.dispose();
  }
}
