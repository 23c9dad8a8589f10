/** Lists that grow page by page. Nothing here knows of VS Code. */

export interface Page<T> {
  items: T[];
  /** Where the next page begins; absent on the last one. */
  next?: string | undefined;
}

/** Asks for one page of at most so many entries, from where `next` of the page before says. */
export type Fetch<T> = (limit: number, from: string | undefined) => Promise<Page<T>>;

/** The most that one request may ask for. */
const mostAtOnce = 1000;

/** Remembers how much of a list was asked for, so that a refresh shows as much as before. */
export class Pages {
  private wanted: number;

  /** @param first the entries of the first page */
  constructor(private readonly first: number) {
    this.wanted = first;
  }

  /** Asks for more from now on: twice as much, or another thousand. */
  grow(): void {
    this.wanted += Math.min(this.wanted, mostAtOnce);
  }

  /** Goes back to the first page. */
  reset(): void {
    this.wanted = this.first;
  }

  /** Fetches as much as is wanted. `more` reports whether there is anything left. */
  async load<T>(fetch: Fetch<T>): Promise<{ items: T[]; more: boolean }> {
    const items: T[] = [];
    let from: string | undefined;
    do {
      const page = await fetch(Math.min(mostAtOnce, this.wanted - items.length), from);
      items.push(...page.items);
      from = page.next;
    } while (from !== undefined && items.length < this.wanted);
    return { items, more: from !== undefined };
  }
}

/** A fetch over what is there already. */
export function slices<T>(all: readonly T[]): Fetch<T> {
  return (limit, from) => {
    const begin = Number(from ?? 0);
    const end = begin + limit;
    return Promise.resolve({ items: all.slice(begin, end), next: end < all.length ? String(end) : undefined });
  };
}
