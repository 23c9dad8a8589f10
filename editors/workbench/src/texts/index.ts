/** The texts that a person reads, in the language that they chose. Each language is one file. */
import { computed, signal } from "@preact/signals";
import { de } from "./de";
import { en } from "./en";
import { ja } from "./ja";

export type Key = keyof typeof en;

/** A text, or one for each plural category of the language (`Intl.PluralRules`), chosen by the value `n`. */
export type Text = string | { one?: string; other: string };
export type Texts = Record<Key, Text>;

export const languages = { en: "English", de: "Deutsch", ja: "日本語" } as const;
export type Language = keyof typeof languages;

const texts: Record<Language, Texts> = { en, de, ja };

/** The language that the person chose; undefined leaves it to the surroundings. */
export const chosenLanguage = signal<Language | undefined>(undefined);
/** What the surroundings prefer, a BCP 47 tag. */
export const preferredLanguage = signal("en");

export const language = computed<Language>(() => chosenLanguage.value ?? languageOf(preferredLanguage.value));

/** Returns the language of a BCP 47 tag, English where there is none. */
export function languageOf(tag: string): Language {
  const primary = tag.toLowerCase().split("-")[0];
  return (Object.keys(languages) as Language[]).find((l) => l === primary) ?? "en";
}

/** Formatters by what they are made from: making one takes longer than drawing a row. */
const formatters = new Map<string, unknown>();

function formatter<O, F>(make: new (language: string, options: O) => F, options: O): F {
  const key = `${make.name} ${language.value} ${JSON.stringify(options)}`;
  const known = (formatters.get(key) as F | undefined) ?? new make(language.value, options);
  formatters.set(key, known);
  return known;
}

const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value));

/** Returns a text with its values filled in. Numbers are written as the language writes them. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = texts[language.value][key];
  const form = typeof text === "string" ? text : ((plurals.value.select(Number(values["n"])) === "one" ? text.one : undefined) ?? text.other);
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

/** Writes a number. */
export function number(n: number): string {
  return numbers.value.format(n);
}

/** Writes a number with its sign. */
export function signed(n: number): string {
  return formatter(Intl.NumberFormat, { signDisplay: "exceptZero" }).format(n);
}

/** Writes a share of one as per cent. */
export function percent(share: number): string {
  return formatter(Intl.NumberFormat, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** Writes a probability, however small, in percent. */
export function chance(p: number): string {
  return formatter(Intl.NumberFormat, { style: "percent", maximumSignificantDigits: 2 }).format(p);
}

/** Writes a size in bytes with the unit that suits it. */
export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB"] as const;
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, n)) / 3)));
  return `${formatter(Intl.NumberFormat, { maximumFractionDigits: at ? 1 : 0 }).format(n / 1000 ** at)} ${units[at] ?? "B"}`;
}

/** Writes a duration in milliseconds. */
export function milliseconds(ms: number): string {
  return formatter(Intl.NumberFormat, { style: "unit", unit: "millisecond", unitDisplay: "short", maximumFractionDigits: ms < 10 ? 1 : 0 }).format(ms);
}

/** Writes when something was, as a date. */
export function date(time: string, withTime = false): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return time;
  return formatter(Intl.DateTimeFormat, withTime ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" }).format(at);
}

/** Writes the time of day at which something was. */
export function time(when: string): string {
  const at = new Date(when);
  return Number.isNaN(at.getTime()) ? when : formatter(Intl.DateTimeFormat, { timeStyle: "short" }).format(at);
}

/** Writes how long ago something was, roughly. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  if (Number.isNaN(seconds)) return time;
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];
  const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? ["second", 1];
  return formatter(Intl.RelativeTimeFormat, { numeric: "auto" }).format(Math.round(seconds / size), unit);
}
