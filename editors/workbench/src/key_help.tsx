/** The keys of the place that is shown, and those that every place has. */
import { actionsEverywhere, actionsHere, keysOf, overlay, paletteKey, type Action } from "./keys";
import { Modal } from "./parts/modal";
import { route } from "./route";
import { t } from "./texts";

export function KeyHelp() {
  const [here, everywhere] = [actionsHere(), actionsEverywhere()];
  const all = [...here, ...everywhere];
  const palette: Action = { label: t("palette.name"), keys: [paletteKey()], run: () => undefined };
  return (
    <Modal label={t("keys.help")} class="key-help">
      <form method="dialog">
        <h2>{t("keys.help")}</h2>
        <div class="key-columns" tabIndex={0} role="region" aria-label={t("keys.help")}>
          <Keys title={t(`place.${route.value.place}`)} actions={here} all={all} />
          <Keys title={t("palette.everywhere")} actions={[palette, ...everywhere]} all={[palette, ...all]} />
        </div>
        <p class="quiet">{t("keys.lists")}</p>
        <button class="button primary" type="submit" autofocus onClick={() => (overlay.value = undefined)}>
          {t("action.close")}
        </button>
      </form>
    </Modal>
  );
}

function Keys({ title, actions, all }: { title: string; actions: readonly Action[]; all: readonly Action[] }) {
  const shown = actions.map((a) => ({ label: a.label, keys: keysOf(all, a) })).filter((a) => a.keys.length > 0);
  if (!shown.length) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {shown.map((a) => (
          <div key={a.label}>
            <dt>
              {a.keys.map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dt>
            <dd>{a.label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
