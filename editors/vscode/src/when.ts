/** Times as people read them. Nothing here knows of VS Code. */

/** A time in few letters: the hour today, the day this year, else with the year. Empty for what is no time. */
export function shortTime(at: string | undefined, now: Date, language: string): string {
  const time = new Date(at ?? "");
  if (Number.isNaN(time.getTime())) return "";
  const form: Intl.DateTimeFormatOptions =
    time.toDateString() === now.toDateString()
      ? { hour: "2-digit", minute: "2-digit" }
      : { day: "numeric", month: "short", ...(time.getFullYear() === now.getFullYear() ? {} : { year: "numeric" }) };
  return new Intl.DateTimeFormat(language, form).format(time);
}

/** A time in full. Empty for what is no time. */
export function longTime(at: string | undefined, language: string): string {
  const time = new Date(at ?? "");
  return Number.isNaN(time.getTime()) ? "" : new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** A day in full. Empty for what is no time. */
export function longDate(at: string, language: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? "" : new Intl.DateTimeFormat(language, { dateStyle: "medium", ...(/^\d+-\d+-\d+$/.test(at) && { timeZone: "UTC" }) }).format(time);
}
