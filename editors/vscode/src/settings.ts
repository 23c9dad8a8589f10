/**
 * The settings that go to the server. Only what the person has set is sent: what an editor sends holds over the files
 * `.contexture.toml` and `config.toml`, and a default must not.
 */

/** What VS Code reports about one setting. */
export interface Inspected {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/** The value that a person has set, the nearest place first; undefined for none. */
export function chosen(inspected: Inspected | undefined): unknown {
  return inspected?.workspaceFolderValue ?? inspected?.workspaceValue ?? inspected?.globalValue;
}

/** The section as nested objects, from what is set of the keys. */
export function section(keys: readonly string[], inspect: (key: string) => Inspected | undefined): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of keys) {
    const value = chosen(inspect(key));
    if (value === undefined) continue;
    const parts = key.split(".");
    const last = parts.pop() ?? key;
    let at = out;
    for (const part of parts) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return out;
}
