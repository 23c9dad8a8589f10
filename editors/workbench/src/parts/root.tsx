/** The workspace's folder that a place shows, where there are several. It is part of the address. */
import { refine, route } from "../route";
import { host, relative } from "../session";
import { t } from "../texts";
import { Select } from "./controls";

/** Returns what names the folder in a command: nothing where there is one only. */
export function chosenRoot(): { workspace?: string } {
  const { roots } = host();
  if (roots.length < 2) return {};
  const chosen = roots.find((r) => r === route.value.query["root"]) ?? roots[0];
  return chosen ? { workspace: chosen } : {};
}

export function RootSelect() {
  const { roots } = host();
  if (roots.length < 2) return null;
  return (
    <Select
      label={t("app.workspace")}
      bare
      value={chosenRoot().workspace ?? ""}
      options={roots.map((r) => ({ value: r, label: r.replace(/\/$/, "").split("/").at(-1) ?? relative(r) }))}
      onChange={(root) => refine({ root: root === roots[0] ? undefined : root })}
    />
  );
}
