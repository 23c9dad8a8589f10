/** What a person chooses for the workbench itself: language, theme, shortcuts. Kept by the host. */
import { effect, signal } from "@preact/signals";
import { followKeys, overlay, shortcuts } from "./keys";
import { Button, Select } from "./parts/controls";
import { Modal } from "./parts/modal";
import { formatRoute, route, go, parseRoute } from "./route";
import { host } from "./session";
import { chosenLanguage, languages, t, type Language } from "./texts";
import { visits, type Visit } from "./visits";

type Theme = "auto" | "light" | "dark" | "contrast";

const theme = signal<Theme>("auto");

interface Saved {
  language?: Language;
  theme?: Theme;
  shortcuts?: boolean;
  route?: string;
  visits?: readonly Visit[];
}

/** Takes up what was kept, and keeps what changes from now on. */
export function keepSettings(): void {
  const saved = (host().saved() ?? {}) as Saved;
  chosenLanguage.value = saved.language;
  theme.value = saved.theme ?? "auto";
  shortcuts.value = saved.shortcuts ?? true;
  visits.value = saved.visits ?? [];
  if (host().kind === "vscode" && saved.route) go(parseRoute(saved.route), "replace"); // a webview has no address
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    const settings: Saved = { theme: theme.value, shortcuts: shortcuts.value, route: formatRoute(route.value), visits: visits.value };
    if (chosenLanguage.value) settings.language = chosenLanguage.value;
    host().save(settings);
  });
  followKeys();
}

export function SettingsButton() {
  return <Button icon="settings" iconOnly label={t("app.settings")} onClick={() => (overlay.value = "settings")} />;
}

export function Settings() {
  return (
    <Modal label={t("app.settings")} class="settings">
      <form method="dialog">
        <h2>{t("app.settings")}</h2>
        <Select
          label={t("app.language")}
          value={chosenLanguage.value ?? "auto"}
          options={[{ value: "auto", label: t("app.languageAutomatic") }, ...Object.entries(languages).map(([value, label]) => ({ value: value as Language, label }))]}
          onChange={(v) => (chosenLanguage.value = v === "auto" ? undefined : v)}
        />
        {host().kind === "page" && (
          <Select
            label={t("app.theme")}
            value={theme.value}
            options={[
              { value: "auto", label: t("app.themeAutomatic") },
              { value: "light", label: t("app.themeLight") },
              { value: "dark", label: t("app.themeDark") },
              { value: "contrast", label: t("app.themeContrast") },
            ]}
            onChange={(v) => (theme.value = v)}
          />
        )}
        <label class="check">
          <input type="checkbox" checked={shortcuts.value} onChange={(e) => (shortcuts.value = e.currentTarget.checked)} />
          <span>{t("app.shortcuts")}</span>
        </label>
        <button class="button primary" type="submit">
          {t("action.close")}
        </button>
      </form>
    </Modal>
  );
}
