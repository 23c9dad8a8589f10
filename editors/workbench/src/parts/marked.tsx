/** A text with the words in it that were asked for. */
import { cut } from "./spans";

export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const lines = cut(text, [], words);
  return (
    <>
      {lines.map((parts, i) => (
        <span key={i}>
          {i > 0 && "\n"}
          {parts.map((p, j) => (p.marked ? <mark key={j}>{p.text}</mark> : p.text))}
        </span>
      ))}
    </>
  );
}

const shortWord = 3;

/** Returns the words of a query that are worth marking: the short ones only where there are no others. */
export function wordsOf(query: string): string[] {
  const all = query.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter((w) => w.length >= shortWord);
  const long = all.filter((w) => w.length > shortWord);
  const asked = long.length ? long : all;
  return [...new Set(asked.flatMap((w) => (w.length > shortWord + 1 && w.endsWith("s") ? [w, w.slice(0, -1)] : [w])))]; // a plural marks its singular
}
