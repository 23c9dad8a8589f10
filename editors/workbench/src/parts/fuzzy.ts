/** How well a text matches what was typed of it, as in a palette. */

const [begins, follows, within] = [4, 3, 1]; // what a letter counts: at the beginning of a word, after the one before, elsewhere

/**
 * Returns how well each word of a query matches a text, the sum of its letters; undefined where one does not. The letters
 * of a word must occur in order, and the first one must begin a word of the text.
 */
export function fuzzy(query: string, text: string): number | undefined {
  const lower = text.toLocaleLowerCase();
  let sum = 0;
  for (const word of query.toLocaleLowerCase().split(/\s+/).filter(Boolean)) {
    const of = best(word, lower, text);
    if (of === undefined) return undefined;
    sum += of;
  }
  return sum / (1 + text.length / 100); // of two texts that match alike the shorter one is meant
}

function best(word: string, lower: string, text: string): number | undefined {
  let most: number | undefined;
  for (let from = lower.indexOf(word[0] ?? ""); from >= 0; from = lower.indexOf(word[0] ?? "", from + 1)) {
    if (!isBeginning(text, from)) continue;
    const of = along(word, lower, text, from);
    if (of !== undefined && of > (most ?? 0)) most = of;
  }
  return most;
}

function along(word: string, lower: string, text: string, from: number): number | undefined {
  let [at, sum] = [from - 1, 0];
  for (const letter of word) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    sum += isBeginning(text, next) ? begins : next === at + 1 ? follows : within;
    at = next;
  }
  return sum;
}

/** Reports whether a word begins at an offset: after what is no letter, or by a capital after a small letter. */
function isBeginning(text: string, at: number): boolean {
  const [before = "", here = ""] = [text[at - 1], text[at]];
  return !/[\p{L}\p{N}]/u.test(before) || (/\p{Lu}/u.test(here) && /\p{Ll}/u.test(before));
}
