/** Begins the workbench in the page or the webview that it was loaded into. */
import { render } from "preact";
import { App } from "./app";
import { pageHost } from "./host/page";
import { keepFocus } from "./focus";
import { vscodeHost } from "./host/vscode";
import { followAddress } from "./route";
import { begin, host, statuses } from "./session";
import { keepSettings } from "./settings";
import { preferredLanguage, t } from "./texts";
import "./style/index.css";

const root = document.getElementById("contexture");
if (root) {
  preferredLanguage.value = root.dataset["language"] ?? navigator.language;
  try {
    begin(vscodeHost(root.dataset) ?? (await pageHost()));
    preferredLanguage.value = host().language;
    followAddress();
    keepSettings();
    root.replaceChildren();
    render(<App />, root);
    keepFocus(root);
    for (const workspace of host().roots) {
      void host()
        .execute("contexture.index.status", { workspace })
        .then((status) => (statuses.value = new Map(statuses.value).set(status.workspace ?? workspace, status)))
        .catch(() => undefined); // the place of the index tells why
    }
  } catch (error) {
    const { message } = error as { message?: string };
    root.replaceChildren();
    render(
      <div class="ended">
        <h1>{t("app.ended")}</h1>
        <p>{message ?? String(error)}</p>
        <p>{t("app.offlineText")}</p>
      </div>,
      root,
    );
  }
}
