/** The sections of a place, as links: each has an address of its own. */
import { number } from "../texts";

interface SectionsProps {
  label: string;
  items: readonly { href: string; label: string; count?: number | undefined; current: boolean }[];
}

export function Sections({ label, items }: SectionsProps) {
  return (
    <nav class="sections" aria-label={label}>
      <ul>
        {items.map((i) => (
          <li key={i.label}>
            <a href={i.href} aria-current={i.current ? "page" : undefined}>
              {i.label}
              {i.count !== undefined && <span class="count number">{number(i.count)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
