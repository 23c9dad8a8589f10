/** Where conversations come from: what may be read, what was read, and what was not understood. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { CaptureSource } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { Button, Field } from "../../parts/controls";
import { Dialog } from "../../parts/dialog";
import { Icon } from "../../parts/icon";
import { openFile } from "../../parts/open";
import { Answered } from "../../parts/states";
import { Switch } from "../../parts/switch";
import { go } from "../../route";
import { memoryChanges } from "../../session";
import { ago, date, number, t } from "../../texts";
import { bringIn, switchSource } from "./import";
import { sourceName } from "./names";

/** Counts what was changed here; the status is asked for again. */
const changed = signal(0);
const opened = signal<ReadonlySet<string>>(new Set());

export function Sources() {
  const answer = useAnswer("contexture.capture.status", {}, { changes: memoryChanges });
  const after = (): void => {
    changed.value++;
    answer.refresh();
  };
  return (
    <Answered answer={answer}>
      {({ sources }) => {
        const [on, off] = [sources.filter((s) => s.on), sources.filter((s) => !s.on)];
        return (
          <>
            {on.length > 0 && <Group title={t("sources.on")} sources={on} after={after} />}
            {off.length > 0 && <Group title={t("sources.off")} sources={off} after={after} />}
          </>
        );
      }}
    </Answered>
  );
}

function Group({ title, sources, after }: { title: string; sources: readonly CaptureSource[]; after: () => void }) {
  return (
    <section class="sources">
      <h2>{title}</h2>
      <ul>
        {sources.map((s) => (
          <Source key={s.source} source={s} after={after} />
        ))}
      </ul>
    </section>
  );
}

function Source({ source: s, after }: { source: CaptureSource; after: () => void }) {
  const [asking, setAsking] = useState(false);
  const name = sourceName(s.source);
  const open = opened.value.has(s.source);
  const toggle = (): void => {
    const now = new Set(opened.value);
    if (!now.delete(s.source)) now.add(s.source);
    opened.value = now;
  };
  const set = async (on: boolean): Promise<void> => {
    if (await switchSource(s.source, on)) after();
  };
  const troubles = s.errors.length;
  const unknown = s.unknown.reduce((sum, u) => sum + u.count, 0);
  return (
    <li class={`source${open ? " open" : ""}`}>
      <div class="source-head">
        <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
          <Icon name="chevron" />
          <span class="source-name">{name}</span>
          <span class="quiet source-state">
            {s.lastReadAt ? t("sources.read", { sessions: t("sources.sessions", { n: s.sessions }), when: ago(s.lastReadAt) }) : s.on ? t("sources.neverRead") : s.places[0] && <code dir="ltr">{s.places[0]}</code>}
          </span>
          {(troubles > 0 || unknown > 0) && (
            <span class="source-trouble">
              <Icon name="warn" />
              {troubles > 0 ? t("sources.errors", { n: troubles }) : t("sources.unknown", { n: unknown })}
            </span>
          )}
        </button>
        <Switch label={t("sources.switch", { name })} on={s.on} onChange={(on) => (on ? setAsking(true) : void set(false))} />
      </div>
      {open && <Details source={s} after={after} />}
      <Dialog
        open={asking}
        title={t("sources.consentTitle", { name })}
        confirm={t("sources.consent")}
        onConfirm={() => {
          setAsking(false);
          void set(true);
        }}
        onClose={() => setAsking(false)}
      >
        <div>
          <p>{t("sources.consentWhat", { name })}</p>
          <Places places={s.places} />
          <p>{t("sources.consentStore")}</p>
          <p>{t("sources.consentEnd")}</p>
        </div>
      </Dialog>
    </li>
  );
}

function Places({ places }: { places: readonly string[] }) {
  if (!places.length) return <p class="quiet">{t("sources.noPlaces")}</p>;
  return (
    <ul class="paths">
      {places.map((p) => (
        <li key={p}>
          <code dir="ltr">{p}</code>
        </li>
      ))}
    </ul>
  );
}

function Details({ source: s, after }: { source: CaptureSource; after: () => void }) {
  return (
    <div class="source-body">
      <dl>
        <Fact name={t("sources.places")}>
          <Places places={s.places} />
        </Fact>
        <Fact name={t("sources.watching")}>{t(`sources.watching.${s.watching}`)}</Fact>
        {(s.logs > 0 || s.messages > 0) && (
          <Fact name={t("sources.wasRead")}>
            <p>{[t("sources.logs", { n: s.logs }), t("sources.sessions", { n: s.sessions }), t("sources.messages", { n: s.messages })].join(" · ")}</p>
            {s.lastReadAt && <p class="quiet">{date(s.lastReadAt, true)}</p>}
            {s.sessions > 0 && <Button label={t("sources.showTalks")} onClick={() => go({ place: "conversations", query: { source: s.source } })} />}
          </Fact>
        )}
        {s.unknown.length > 0 && (
          <Fact name={t("sources.notUnderstood")}>
            <ul>
              {s.unknown.map((u) => (
                <li key={u.kind}>
                  <code>{u.kind}</code> <span class="number quiet">× {number(u.count)}</span>{" "}
                  {u.file && (
                    <button type="button" class="link" title={u.file} onClick={() => openFile(`file://${u.file}`, u.line > 0 ? { start: { line: u.line - 1, character: 0 }, end: { line: u.line - 1, character: 0 } } : undefined)}>
                      {t("sources.firstAt", { file: u.file.split("/").at(-1) ?? u.file, line: u.line })}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Counts name={t("sources.skipped")} counts={s.skipped} />
        <Counts name={t("sources.left")} counts={s.left} of={notStored} />
        {s.errors.length > 0 && (
          <Fact name={t("sources.failed")}>
            <ul>
              {s.errors.map((e) => (
                <li key={e} class="source-error" dir="auto">
                  {e}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
      {s.on ? <Import source={s.source} after={after} /> : <p class="quiet">{t("sources.importOff")}</p>}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div class="fact">
      <dt class="quiet">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const reasons = ["memoryOff", "forgotten", "unplaced", "otherForm"] as const;

function notStored(reason: string): string {
  const known = reasons.find((r) => r === reason);
  return known ? t(`sources.left.${known}`) : reason;
}

function Counts({ name, counts, of }: { name: string; counts: Record<string, number>; of?: (what: string) => string }) {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  if (!entries.length) return null;
  return (
    <Fact name={name}>
      <ul>
        {entries.map(([what, n]) => (
          <li key={what}>
            <span dir="auto">{of ? of(what) : what}</span> <span class="number quiet">× {number(n)}</span>
          </li>
        ))}
      </ul>
    </Fact>
  );
}

/** Brings in what was there before the source was switched on. */
function Import({ source, after }: { source: string; after: () => void }) {
  const [since, setSince] = useState("");
  const [busy, setBusy] = useState(false);
  const start = async (): Promise<void> => {
    setBusy(true);
    await bringIn(source, since);
    setBusy(false);
    after();
  };
  return (
    <form
      class="source-import"
      aria-busy={busy}
      onSubmit={(e) => {
        e.preventDefault();
        void start();
      }}
    >
      <Field label={t("sources.since")}>{(id) => <input id={id} type="date" value={since} onInput={(e) => setSince(e.currentTarget.value)} />}</Field>
      <button type="submit" class="button quiet" disabled={busy}>
        {busy ? t("sources.importing") : t("sources.import")}
      </button>
      <p class="quiet">{t("sources.importHint")}</p>
    </form>
  );
}
