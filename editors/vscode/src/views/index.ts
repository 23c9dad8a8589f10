/** The view "Index": its state, its languages, what it leaves out and why, secrets, and faults. */
import * as vscode from "vscode";
import type { IndexStatusResult, LanguageCount, SkippedArgs, SkippedFile, SecretFinding } from "../contract.gen";
import { isOpenable, ruleText } from "../ignore";
import { slices } from "../pages";
import type { Root, Server } from "../server";
import { indexedShare } from "../text";
import { shortTime } from "../when";
import { at, line, note, View, type Line } from "./tree";

/** Files that are shown at first below a reason or a rule. */
const firstPage = 100;

/** Findings that are read at once: they come by file, and are shown by rule. */
const mostFindings = 1000;

type Reason = NonNullable<SkippedArgs["reason"]>;

/** A status: an older server's has no languages. */
type Status = Omit<IndexStatusResult, "languages"> & { languages?: LanguageCount[] };

export class IndexView extends View {
  private readonly secretTotals = new Map<string, { version: number; total: number }>();

  constructor(server: Server) {
    super(server, "contexture.index", ["status"]);
  }

  protected emptyText(): string {
    return vscode.l10n.t("Nothing is indexed");
  }

  protected async lines(root: Root | undefined, parent: Line | undefined): Promise<Line[]> {
    if (!root) return [];
    const status: Status = this.server.statusOf(root.workspace) ?? (await this.server.contract.indexStatus(at(root)));
    const id = (part: string): string => `${root.workspace}|${part}`;
    return [
      this.state(parent, id("state"), root, status),
      this.embedder(parent, id("embedder"), status),
      this.languages(parent, id("languages"), status),
      this.skipped(parent, id("skipped"), root, status),
      await this.secretsLine(parent, id("secrets"), root, status),
      line(parent, id("faults"), { label: vscode.l10n.t("Faults"), ...(faultCount(status) > 0 && { description: number(faultCount(status)) }), icon: "bug" }, (self) => this.faults(self, root, status)),
    ];
  }

  private state(parent: Line | undefined, id: string, root: Root, status: Status): Line {
    const isPaused = vscode.workspace.getConfiguration("contexture", root.uri).get<boolean>("index.paused", false);
    const files = vscode.l10n.t("{0} of {1} files", number(status.files), number(status.filesTotal));
    const { label, icon, color } = isPaused ? { label: vscode.l10n.t("Paused"), icon: "debug-pause" } : stateLook(status);
    const tooltip = [
      files,
      vscode.l10n.t("{0} chunks, {1} symbols", number(status.chunks), number(status.symbols)),
      status.queue > 0 && vscode.l10n.t("{0} files wait", number(status.queue)),
      status.indexedAt && vscode.l10n.t("Last run: {0}", shortTime(status.indexedAt, new Date(), vscode.env.language)),
    ];
    return line(parent, id, { label, description: files, tooltip: tooltip.filter(Boolean).join("\n"), icon, ...(color !== undefined && { color }), context: `state-${isPaused ? "paused" : "running"}` });
  }

  private embedder(parent: Line | undefined, id: string, { embedder }: Status): Line {
    const name = embedder.name || (embedder.source === "builtin" ? vscode.l10n.t("built in") : embedder.source);
    const pending = embedder.pending > 0 ? vscode.l10n.t("{0} chunks to come", number(embedder.pending)) : "";
    return line(parent, id, {
      label: vscode.l10n.t("Embeddings"),
      description: [name, embedder.problem ?? pending].filter(Boolean).join(" · "),
      ...(embedder.problem && { tooltip: vscode.l10n.t("The model server does not answer; built-in embeddings are used until it does: {0}", embedder.problem) }),
      icon: embedder.problem ? "warning" : "symbol-array",
    });
  }

  private languages(parent: Line | undefined, id: string, { languages }: Status): Line {
    const look = { label: vscode.l10n.t("Languages"), icon: "code", ...(languages && { description: number(languages.length) }) };
    return line(parent, id, look, (self) => {
      if (!languages) return Promise.resolve([this.unavailable(self, id)]);
      const sorted = [...languages].sort((a, b) => b.files - a.files);
      return Promise.resolve(
        sorted.map(({ language, files, chunks }) => line(self, `${id}|${language}`, { label: language === "other" ? vscode.l10n.t("Other") : language, description: files === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", number(files)), tooltip: vscode.l10n.t("Chunks: {0}", number(chunks)), icon: "file-code" })),
      );
    });
  }

  private skipped(parent: Line | undefined, id: string, root: Root, status: Status): Line {
    const total = status.skipped.reduce((sum, { count }) => sum + count, 0);
    return line(parent, id, { label: vscode.l10n.t("Left Out"), description: number(total), icon: "eye-closed" }, async (self) => {
      const isNew = await this.server.offers("contexture.index.skipped");
      if (status.skipped.length === 0) return [note(self, `${id}|none`, { label: vscode.l10n.t("Nothing is left out"), icon: "check" })];
      return status.skipped.map(({ reason, count }) => {
        const { label, tooltip } = reasonLook(reason);
        return line(self, `${id}|${reason}`, { label, tooltip, description: number(count), icon: "circle-slash" }, async (group) => {
          if (!isNew) return [this.unavailable(group, group.id)];
          const fetch = async (limit: number, after: string | undefined): Promise<{ items: SkippedFile[]; next?: string | undefined }> => {
            const { files, next } = await this.server.contract.indexSkipped({ ...at(root), reason: reason as Reason, limit, ...(after !== undefined && { after }) });
            return { items: files, next };
          };
          return this.paged(group, group.id, firstPage, fetch, (file) => skippedLine(group, root, file));
        });
      });
    });
  }

  /** How much the scanner found is asked once for each version of the index. */
  private async secretsLine(parent: Line | undefined, id: string, root: Root, { version }: Status): Promise<Line> {
    let known = this.secretTotals.get(id);
    if (known?.version !== version && (await this.server.offers("contexture.index.secrets"))) {
      known = { version, total: (await this.server.contract.indexSecrets({ ...at(root), limit: 1 })).total };
      this.secretTotals.set(id, known);
    }
    const tooltip = vscode.l10n.t("What the secret scanner replaced before it was indexed, by rule and file");
    return line(parent, id, { label: vscode.l10n.t("Secrets"), icon: "key", tooltip, ...(known && { description: number(known.total) }) }, (self) => this.secrets(self, root));
  }

  /** Rules of the scanner with the files they found something in. Never what they found. */
  private async secrets(parent: Line, root: Root): Promise<Line[]> {
    if (!(await this.server.offers("contexture.index.secrets"))) return [this.unavailable(parent, parent.id)];
    const fetch = async (limit: number, after: string | undefined): Promise<{ items: SecretFinding[]; next?: string | undefined }> => {
      const { findings, next } = await this.server.contract.indexSecrets({ ...at(root), limit, ...(after !== undefined && { after }) });
      return { items: findings, next };
    };
    const { items, rest } = await this.load(parent, parent.id, mostFindings, fetch);
    if (items.length === 0) return [note(parent, `${parent.id}|none`, { label: vscode.l10n.t("No secrets were found"), icon: "check" })];
    const byRule = new Map<string, SecretFinding[]>();
    for (const finding of items) {
      const findings = byRule.get(finding.rule);
      if (findings) findings.push(finding);
      else byRule.set(finding.rule, [finding]);
    }
    const rules = [...byRule].sort(([a], [b]) => a.localeCompare(b)).map(([rule, findings]) =>
      line(parent, `${parent.id}|${rule}`, { label: rule, description: number(findings.reduce((sum, { count }) => sum + count, 0)), icon: "key" }, (self) =>
        this.paged(self, self.id, firstPage, slices(findings), (finding) => fileLine(self, root, finding.path, { description: number(finding.count), context: "file" })),
      ),
    );
    return [...rules, ...rest];
  }

  private async faults(parent: Line, root: Root, status: Status): Promise<Line[]> {
    const lines = status.quarantined.map(({ path, reason }) => fileLine(parent, root, path, { description: reason, tooltip: vscode.l10n.t("Set aside until the file changes: {0}", reason), context: "file" }));
    if (status.errors > 0) lines.push(line(parent, `${parent.id}|errors`, { label: vscode.l10n.t("{0} files could not be read", number(status.errors)), icon: "warning", command: { command: "contexture.showOutput", title: vscode.l10n.t("Show Output") } }));
    if (await this.server.offers("contexture.metrics.recent")) {
      const { faults } = await this.server.contract.metricsRecent(at(root));
      lines.push(
        ...faults.map(({ at: time, component, message }, i) =>
          line(parent, `${parent.id}|fault|${i}`, { label: message, description: [component, shortTime(time, new Date(), vscode.env.language)].join(" · "), tooltip: message, icon: "warning" }),
        ),
      );
    }
    return lines.length > 0 ? lines : [note(parent, `${parent.id}|none`, { label: vscode.l10n.t("No faults"), icon: "check" })];
  }
}

function faultCount(status: Status): number {
  return status.quarantined.length + status.errors;
}

function stateLook(status: Status): { label: string; icon: string; color?: string } {
  switch (status.state) {
    case "scanning":
      return { label: vscode.l10n.t("Scanning"), icon: "sync~spin" };
    case "indexing":
      return { label: vscode.l10n.t("Indexing, {0}%", indexedShare(status)), icon: "sync~spin" };
    case "error":
      return { label: vscode.l10n.t("Cannot index; see the output"), icon: "error", color: "problemsErrorIcon.foreground" };
    default:
      return { label: vscode.l10n.t("Up to date"), icon: "pass", color: "testing.iconPassed" };
  }
}

function reasonLook(reason: string): { label: string; tooltip: string } {
  const looks: Record<string, { label: string; tooltip: string }> = {
    ignored: { label: vscode.l10n.t("Ignored"), tooltip: vscode.l10n.t("By Git's ignore files or by .contextureignore") },
    excluded: { label: vscode.l10n.t("Excluded"), tooltip: vscode.l10n.t("By the setting contexture.index.exclude, or because the file holds secrets") },
    vendored: { label: vscode.l10n.t("Installed or built"), tooltip: vscode.l10n.t("Installed packages, caches and build output") },
    binary: { label: vscode.l10n.t("Binary"), tooltip: vscode.l10n.t("Not text") },
    tooLarge: { label: vscode.l10n.t("Too large"), tooltip: vscode.l10n.t("Larger than the setting contexture.index.maxFileBytes allows") },
    generated: { label: vscode.l10n.t("Generated"), tooltip: vscode.l10n.t("Made by a program, as the file says") },
    minified: { label: vscode.l10n.t("Minified"), tooltip: vscode.l10n.t("Made small for browsers") },
    link: { label: vscode.l10n.t("Links"), tooltip: vscode.l10n.t("Symbolic links that are not followed, or lead out of the folder") },
    unreadable: { label: vscode.l10n.t("Unreadable"), tooltip: vscode.l10n.t("The file could not be read") },
    special: { label: vscode.l10n.t("Special files"), tooltip: vscode.l10n.t("Sockets, pipes and devices") },
  };
  return looks[reason] ?? { label: reason, tooltip: reason };
}

/** The line of a file that opens it. */
function fileLine(parent: Line, root: Root, path: string, look: { description: string; tooltip?: string; context: string }): Line {
  const uri = vscode.Uri.joinPath(root.uri, path);
  return line(parent, `${parent.id}|${path}`, { label: path, uri, command: { command: "vscode.open", title: vscode.l10n.t("Open"), arguments: [uri] }, ...look });
}

function skippedLine(parent: Line, root: Root, file: SkippedFile): Line {
  const uri = vscode.Uri.joinPath(root.uri, file.path);
  const rule = ruleText(file);
  const open = isOpenable(file.source) && { command: { command: "contexture.openIgnoreRule", title: vscode.l10n.t("Open Rule"), arguments: [root, file.source, file.line] } };
  const made = line(parent, `${parent.id}|${file.path}`, {
    label: file.path,
    description: rule,
    tooltip: vscode.l10n.t("{0} is not indexed: {1}", file.path, rule || file.reason),
    context: ["skipped", isOpenable(file.source) && "include"].filter(Boolean).join(" "),
    uri,
    ...open,
  });
  made.item.iconPath = file.folder ? new vscode.ThemeIcon("file-directory") : vscode.ThemeIcon.File;
  return made;
}

function number(n: number): string {
  return n.toLocaleString(vscode.env.language);
}

/** Registers the view. */
export function registerIndex(server: Server): { view: IndexView; subscription: vscode.Disposable } {
  const view = new IndexView(server);
  return {
    view,
    subscription: vscode.Disposable.from(
      view,
      vscode.workspace.onDidChangeConfiguration((change) => { if (change.affectsConfiguration("contexture.index")) view.refresh(); }),
    ),
  };
}
