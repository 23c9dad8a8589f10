/** Where the program is. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { l10n } from "vscode";

export interface Places {
  /** The setting `contexture.client.path`; empty for none. */
  setting: string;
  /** The extension's folder, which may bring the program in `bin`. */
  extension: string;
  /** The environment's PATH. */
  path: string;
  platform: NodeJS.Platform;
  /** Says whether a file is there and can be run. */
  runs: (file: string) => boolean;
}

/** A file that is there and can be run. */
export function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Finds the program: the setting's, else the extension's own, else the first in PATH. The problem says what to do. */
export function findProgram(places: Places): { program: string } | { problem: string } {
  const name = places.platform === "win32" ? "contexture.exe" : "contexture";
  if (places.setting) {
    if (!isAbsolute(places.setting)) return { problem: l10n.t("The setting contexture.client.path, “{0}”, is not an absolute path.", places.setting) };
    return places.runs(places.setting) ? { program: places.setting } : { problem: l10n.t("The program that contexture.client.path names, “{0}”, does not exist or cannot be run.", places.setting) };
  }
  for (const folder of [join(places.extension, "bin"), ...places.path.split(delimiter)]) {
    const file = join(folder, name);
    if (folder && places.runs(file)) return { program: file };
  }
  return { problem: l10n.t("The program contexture was not found. Put it into a folder of PATH, or name it in the setting contexture.client.path.") };
}
