/** The part of VS Code's interface that units under test use, in English and without a window. */

export const l10n = {
  t: (message: string, ...values: (string | number | boolean)[]): string => message.replace(/\{(\d)\}/g, (_, i: string) => String(values[Number(i)])),
};

export const env = { language: "en" };

export enum TreeItemCollapsibleState {
  None,
  Collapsed,
  Expanded,
}

export class TreeItem {
  id?: string;
  description?: string;
  contextValue?: string;
  constructor(
    public label: string,
    public collapsibleState: TreeItemCollapsibleState,
  ) {}
}

export class ThemeIcon {
  static readonly File = new ThemeIcon("file");
  static readonly Folder = new ThemeIcon("folder");
  constructor(readonly id: string) {}
}

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class MarkdownString {
  constructor(public value = "") {}
}

export class Disposable {
  constructor(readonly dispose: () => void) {}
}

type Listener<T> = (event: T) => void;

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };
  fire(event: T): void {
    for (const listener of this.listeners) listener(event);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

/** A view that a test shows and hides. */
export class FakeTreeView {
  private readonly visibility = new EventEmitter<{ visible: boolean }>();
  readonly onDidChangeVisibility = this.visibility.event;
  visible = false;
  show(visible: boolean): void {
    this.visible = visible;
    this.visibility.fire({ visible });
  }
  dispose(): void {
    this.visibility.dispose();
  }
}

export const window = { createTreeView: (): FakeTreeView => new FakeTreeView() };

export const workspace = { onDidChangeWorkspaceFolders: new EventEmitter<undefined>().event };
