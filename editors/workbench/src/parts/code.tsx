/** Code with the server's syntax colours, its line numbers, and the words that were asked for. */
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { host } from "../session";
import { cut, type Mark, type Part } from "./spans";

interface CodeProps {
  text: string;
  /** The path or the language that tells the grammar. */
  path?: string;
  language?: string;
  /** The number of the first line, from 1; none are shown without it. */
  firstLine?: number;
  /** Words to mark, in lower case. */
  words?: readonly string[];
  label: string;
}

const known = new Map<string, Mark[]>();
const mostKnown = 200;

/** Returns the syntax of a text; nothing until the server has answered, or where it knows no grammar. */
export function useSyntax(text: string, path: string | undefined, language: string | undefined): Mark[] {
  const key = `${language ?? ""}\0${path ?? ""}\0${text}`;
  const [, draw] = useState(0);
  useEffect(() => {
    if (known.has(key) || (!path && !language)) return;
    const abort = new AbortController();
    const one = { text, ...(path ? { path } : {}), ...(language ? { language } : {}) };
    host()
      .execute("contexture.syntax", { texts: [one] }, abort.signal)
      .then(({ texts }) => {
        if (known.size >= mostKnown) known.delete(known.keys().next().value ?? "");
        known.set(key, texts[0]?.spans ?? []);
        draw((n) => n + 1);
      })
      .catch(() => undefined); // without colours it can be read all the same
    return () => abort.abort();
  }, [key]);
  return known.get(key) ?? [];
}

/** The parts of a line. */
export function Parts({ of }: { of: readonly Part[] }) {
  return (
    <>
      {of.map((p, j): ComponentChildren => {
        const shown = p.kind ? (
          <span class={`syntax-${p.kind}`} key={j}>
            {p.text}
          </span>
        ) : (
          p.text
        );
        return p.marked ? <mark key={j}>{shown}</mark> : shown;
      })}
    </>
  );
}

export function Code({ text, path, language, firstLine, words = [], label }: CodeProps) {
  const syntax = useSyntax(text, path, language);
  const lines = useMemo(() => cut(text, syntax, words), [text, syntax, words]);
  const width = String((firstLine ?? 0) + lines.length).length;
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label} dir="ltr" style={{ "--line-width": `${width}ch` }}>
      <code>
        {lines.map((parts, i) => (
          <span class="line" key={i}>
            {firstLine !== undefined && <span class="line-number" data-line={firstLine + i} aria-hidden="true" />}
            <span>
              <Parts of={parts} />
              {"\n"}
            </span>
          </span>
        ))}
      </code>
    </pre>
  );
}
