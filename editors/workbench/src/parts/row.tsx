/** A row of a list that stands beside what is chosen in it. */
import type { ComponentChildren } from "preact";
import { ago, date } from "../texts";

interface RowProps {
  href: string;
  isCurrent: boolean;
  title: ComponentChildren;
  /** When it was. */
  at: string;
  /** Small facts; those that are false or empty are left out. */
  facts: readonly ComponentChildren[];
}

export function Row({ href, isCurrent, title, at, facts }: RowProps) {
  return (
    <a class="row" href={href} aria-current={isCurrent ? "true" : undefined}>
      <span class="row-title" dir="auto">
        {title}
      </span>{" "}
      <time class="quiet number" dateTime={at} title={date(at, true)}>
        {ago(at)}
      </time>{" "}
      <span class="row-facts quiet">
        {facts.filter(Boolean).map((fact, i) => (
          <span key={i} dir="auto">
            {fact}
          </span>
        ))}
      </span>
    </a>
  );
}
