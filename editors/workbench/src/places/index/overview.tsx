/** What the index holds: its numbers, what is wrong, and how much of which languages and folders there is. */
import type { ComponentChildren } from "preact";
import type { IndexStatusResult } from "../../../../vscode/src/contract.gen";
import { Facts, Measure } from "../../parts/controls";
import { Icon } from "../../parts/icon";
import { formatRoute, route } from "../../route";
import { ago, bytes, number, t, type Key } from "../../texts";

export function Overview({ status: s }: { status: IndexStatusResult }) {
  const { embedder, watcher } = s;
  return (
    <div class="index-overview">
      <section>
        <h2>{t(`status.${s.state}`)}</h2>
        {s.state === "indexing" && <progress max={Math.max(1, s.filesTotal)} value={s.files} aria-label={t("status.indexing")} />}
        <dl class="numbers">
          <Measure name={t("index.files")} value={number(s.files)} />
          <Measure name={t("index.chunks")} value={number(s.chunks)} />
          <Measure name={t("index.symbols")} value={number(s.symbols)} />
          <Measure name={t("index.size")} value={bytes(s.bytes)} />
          <Measure name={t("index.embedder")} value={embedder.name || t("index.noVectors")} {...(embedder.name ? { note: t(`index.embedder.${embedder.source}`, { n: embedder.dimensions }) } : {})} />
          <Measure name={t("index.watcher")} value={t(`index.watcher.${watcher.mode}`)} note={t("index.watches", { n: watcher.watches })} />
        </dl>
        <Facts>
          {s.indexedAt && <span class="quiet">{t("index.brought", { ago: ago(s.indexedAt) })}</span>}
          {s.queue > 0 && <span class="quiet">{t("index.waiting", { n: s.queue })}</span>}
          {embedder.pending > 0 && <span class="quiet">{t("index.withoutVectors", { n: embedder.pending })}</span>}
        </Facts>
      </section>
      <Problems status={s} />
      <div class="index-shares">
        <Shares title={t("index.languages")} more="index.moreLanguages" shares={s.languages.map((l) => ({ name: l.language || t("index.otherLanguage"), files: l.files }))} />
        <Shares title={t("index.folders")} more="index.moreFolders" shares={s.folders.map((f) => ({ name: f.folder ? `${f.folder}/` : t("index.rootFolder"), files: f.files }))} />
      </div>
    </div>
  );
}

/** What is wrong, by what it is about; nothing where all is well. */
function Problems({ status: { embedder, watcher, errors, quarantined } }: { status: IndexStatusResult }) {
  const groups: { key: Key; count: number; what: ComponentChildren }[] = [];
  // The built-in vectors need no server: a person who named none reads nothing of one.
  if (embedder.problem && embedder.source === "ollama") groups.push({ key: "index.problem.model", count: 1, what: <p dir="auto">{embedder.problem}</p> });
  if (watcher.problem) groups.push({ key: "index.problem.watcher", count: 1, what: <p dir="auto">{watcher.problem}</p> });
  if (errors) groups.push({ key: "index.problem.unread", count: errors, what: <a href={formatRoute({ place: "index", query: { root: route.value.query["root"], section: "leftout", reason: "unreadable" } })}>{t("index.unreadText")}</a> });
  if (quarantined.length) {
    const what = (
      <ul>
        {quarantined.map((q) => (
          <li key={q.path} dir="auto">
            <span class="mono">{q.path}</span> <span class="quiet">{q.reason}</span>
          </li>
        ))}
      </ul>
    );
    groups.push({ key: "index.problem.setAside", count: quarantined.length, what });
  }
  if (!groups.length) return null;
  return (
    <section class="problems">
      <h2>
        <Icon name="warn" /> {t("index.problems", { n: groups.reduce((sum, g) => sum + g.count, 0) })}
      </h2>
      {groups.map((g) => (
        <details key={g.key}>
          <summary>
            {t(g.key)} <span class="quiet number">{number(g.count)}</span>
          </summary>
          {g.what}
        </details>
      ))}
    </section>
  );
}

const mostShares = 12;

interface SharesProps {
  title: string;
  more: Key;
  shares: readonly { name: string; files: number }[];
}

/** How many files each has, the most first, as bars. */
function Shares({ title, more, shares }: SharesProps) {
  const sorted = [...shares].sort((a, b) => b.files - a.files || a.name.localeCompare(b.name));
  if (!sorted.length) return null;
  const most = sorted[0]?.files || 1;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="bars">
        {sorted.slice(0, mostShares).map((l) => (
          <li key={l.name}>
            <span class="bar-name" title={l.name}>
              {l.name}
            </span>
            <span class="bar" aria-hidden="true">
              <span style={{ inlineSize: `${(100 * l.files) / most}%` }} />
            </span>
            <span class="number quiet">{t("status.files", { n: l.files })}</span>
          </li>
        ))}
      </ul>
      {sorted.length > mostShares && <p class="quiet">{t(more, { n: sorted.length - mostShares })}</p>}
    </section>
  );
}
