/** Patterns of ignore files for single paths. Nothing here knows of VS Code. */

/**
 * The pattern that matches one path and no other.
 *
 * @param path below the root, with slashes
 */
export function patternOf(path: string, isFolder: boolean): string {
  const escaped = path.replace(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ ");
  return `/${escaped}${isFolder ? "/" : ""}`;
}
