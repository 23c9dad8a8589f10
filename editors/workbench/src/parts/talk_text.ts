/** Reads the text of a turn: who says what, and what of it is code. */

export interface Call {
  name: string;
  /** The arguments and the result, as the server writes them. */
  text: string;
}

/** What one author says at once. */
export interface Utterance {
  /** Absent where the text is a summary of the turn. */
  role?: "user" | "assistant" | "system" | "tool";
  author?: string;
  text: string;
  reasoning?: string;
  calls: Call[];
}

export type Block = { kind: "text" | "heading" | "quote" | "table"; text: string } | { kind: "code"; text: string; language: string };

/** A part of a paragraph. */
export interface Span {
  kind: "text" | "code" | "strong";
  text: string;
}

const speaker = /^(user|assistant|system|tool)(?: \((.*?)\))?: ?/;
const call = /^\{tool (\S+) called(?: with )?/;
const thought = "[reasoning: ";
const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;

/** Returns a turn's text without the element around it. */
export function inner(text: string): string {
  return text.replace(/^\s*<[^>\n]*>\n/, "").replace(/\n?<\/[^>\n]*>\s*$/, "");
}

/** Cuts the text of a turn into what each author says. */
export function utterances(body: string): Utterance[] {
  const lines = body.split("\n");
  const found: { of: Utterance; text: string[] }[] = [];
  const current = (): { of: Utterance; text: string[] } => {
    const last = found.at(-1);
    if (last) return last;
    const first = { of: { text: "", calls: [] }, text: [] };
    found.push(first);
    return first;
  };
  let fenced = "";
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (!fenced) {
      const said = speaker.exec(line);
      if (said) {
        const of: Utterance = { role: said[1] as NonNullable<Utterance["role"]>, ...(said[2] ? { author: said[2] } : {}), text: "", calls: [] };
        const rest = line.slice(said[0].length);
        found.push({ of, text: [rest] });
        fenced = fence.exec(rest)?.[1] ?? "";
        continue;
      }
      const called = call.exec(line);
      if (called || line.startsWith(thought)) {
        const end = endOf(lines, i, called ? "}" : "]");
        const whole = lines.slice(i, end + 1).join("\n");
        if (called) current().of.calls.push({ name: (called[1] ?? "").replace(/,$/, ""), text: whole.slice(called[0].length).replace(/^,\s*/, "").replace(/\}$/, "") });
        else current().of.reasoning = whole.slice(thought.length).replace(/\]$/, "");
        i = end;
        continue;
      }
      fenced = fence.exec(line)?.[1] ?? "";
    } else if (closes(line, fenced)) fenced = "";
    current().text.push(line);
  }
  return found.map(({ of, text }) => ({ ...of, text: text.join("\n").trim() })).filter((u) => u.text || u.reasoning || u.calls.length);
}

/** Returns the line that a call or a thought ends in: the first with its bracket before something new begins. */
function endOf(lines: readonly string[], from: number, bracket: string): number {
  for (let i = from; i < lines.length; i++) {
    const next = lines[i + 1];
    if (lines[i]?.endsWith(bracket) && (next === undefined || speaker.test(next) || call.test(next) || next.startsWith(thought))) return i;
  }
  return lines.length - 1;
}

function closes(line: string, opened: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1];
  return mark !== undefined && mark[0] === opened[0] && mark.length >= opened.length;
}

/** Cuts what somebody wrote into paragraphs, headings, quotations, tables and fenced code. */
export function blocks(text: string): Block[] {
  const out: Block[] = [];
  const lines = text.split("\n");
  const kindOf = (line: string): "text" | "quote" | "table" => (/^\s*>/.test(line) ? "quote" : /^\s*\|.*\|\s*$/.test(line) ? "table" : "text");
  let open: { kind: "text" | "quote" | "table"; lines: string[] } | undefined;
  const close = (): void => {
    if (!open) return;
    const { kind, lines: held } = open;
    out.push({ kind, text: (kind === "quote" ? held.map((l) => l.replace(/^\s*> ?/, "")) : held).join("\n") });
    open = undefined;
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const opening = fence.exec(line);
    if (opening) {
      close();
      const mark = opening[1] ?? "";
      const code: string[] = [];
      for (i++; i < lines.length && !closes(lines[i] ?? "", mark); i++) code.push(lines[i] ?? "");
      out.push({ kind: "code", text: code.join("\n"), language: opening[2] ?? "" });
      continue;
    }
    const heading = /^ {0,3}#{1,6} +(.*?)#*\s*$/.exec(line);
    if (heading) {
      close();
      out.push({ kind: "heading", text: heading[1] ?? "" });
    } else if (!line.trim()) close();
    else {
      const kind = kindOf(line);
      if (open && open.kind !== kind) close();
      open ??= { kind, lines: [] };
      open.lines.push(line);
    }
  }
  close();
  return out;
}

/** Cuts a paragraph into plain text, `code` and **strong** text. */
export function spans(text: string): Span[] {
  const out: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(/(`+)([^`\n]+)\1|\*\*([^*\n]+)\*\*/g)) {
    if (match.index > at) out.push({ kind: "text", text: text.slice(at, match.index) });
    out.push(match[2] === undefined ? { kind: "strong", text: match[3] ?? "" } : { kind: "code", text: match[2] });
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push({ kind: "text", text: text.slice(at) });
  return out;
}
