/** What the index holds, in numbers, and the languages of the workspace. */
import type { IndexStatusResult } from "../../../../vscode/src/contract.gen";
import { Facts, Measure } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { ago, bytes, number, percent, t } from "../../texts";

const mostLanguages = 12;

export function Overview({ status: s }: { status: IndexStatusResult }) {
  const languages = [...s.languages].sort((a, b) => b.files - a.files || a.language.localeCompare(b.language));
  const most = languages[0]?.files ?? 1;
  const problems = [
    ...(s.embedder.problem ? [s.embedder.problem] : []),
    ...(s.watcher.problem ? [s.watcher.problem] : []),
    ...(s.errors ? [t("index.unread", { n: s.errors })] : []),
  ];
  return (
    <div class="index-overview">
      <section>
        <h2>{t(`status.${s.state}`)}</h2>
        {s.state === "indexing" && <progress max={Math.max(1, s.filesTotal)} value={s.files} aria-label={t("status.indexing")} />}
        <Facts>
          {s.indexedAt && <span class="quiet">{t("index.brought", { ago: ago(s.indexedAt) })}</span>}
          {s.queue > 0 && <span class="quiet">{t("index.waiting", { n: s.queue })}</span>}
        </Facts>
        {problems.length > 0 && (
          <ul class="problems">
            {problems.map((p) => (
              <li key={p} dir="auto">
                <Icon name="warn" /> {p}
              </li>
            ))}
          </ul>
        )}
        {s.quarantined.length > 0 && (
          <details class="problems">
            <summary>
              <Icon name="warn" /> {t("index.setAside", { n: s.quarantined.length })}
            </summary>
            <ul>
              {s.quarantined.map((q) => (
                <li key={q.path} dir="auto">
                  {t("index.quarantined", { path: q.path, reason: q.reason })}
                </li>
              ))}
            </ul>
          </details>
        )}
        <dl class="numbers">
          <Measure name={t("index.files")} value={number(s.files)} />
          <Measure name={t("index.chunks")} value={number(s.chunks)} />
          <Measure name={t("index.symbols")} value={number(s.symbols)} />
          <Measure name={t("index.size")} value={bytes(s.bytes)} />
          <Measure name={t("index.embedder")} value={s.embedder.name || t("index.noVectors")} {...(s.embedder.name ? { note: t(`index.embedder.${s.embedder.source}`, { n: s.embedder.dimensions }) } : {})} />
          <Measure name={t("index.watcher")} value={t(`index.watcher.${s.watcher.mode}`)} note={t("index.watches", { n: s.watcher.watches })} />
        </dl>
      </section>
      {languages.length > 0 && (
        <section>
          <h2>{t("index.languages")}</h2>
          <ul class="bars">
            {languages.slice(0, mostLanguages).map((l) => (
              <li key={l.language}>
                <span class="bar-name">{l.language || t("index.otherLanguage")}</span>
                <span class="bar" aria-hidden="true">
                  <span style={{ inlineSize: percent(l.files / most).replace(/[^\d%]/g, "") }} />
                </span>
                <span class="number quiet">{t("status.files", { n: l.files })}</span>
              </li>
            ))}
          </ul>
          {languages.length > mostLanguages && <p class="quiet">{t("index.moreLanguages", { n: languages.length - mostLanguages })}</p>}
        </section>
      )}
    </div>
  );
}
