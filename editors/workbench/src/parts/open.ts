/** Opens files in the person's editor. */
import type { Range } from "../../../vscode/src/contract.gen";
import { describe } from "../answer";
import { failure } from "../host/host";
import { announce, host, relative } from "../session";
import { t } from "../texts";

export function openFile(uri: string, range?: Range): void {
  host()
    .open(uri, range)
    .then(() => announce(t("done.opened", { name: relative(uri) })))
    .catch((thrown: unknown) => {
      const error = failure(thrown);
      if (error) announce(describe(error), "failed");
    });
}
