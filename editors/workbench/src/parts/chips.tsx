/** Filters as quiet chips: each is on or off by itself. */

interface ChipsProps<V extends string> {
  label: string;
  chosen: readonly V[];
  options: readonly { value: V; label: string; count?: string; kind?: string; disabled?: boolean }[];
  onChange: (chosen: V[]) => void;
  /** Only one can be on. */
  single?: boolean;
}

export function Chips<V extends string>({ label, chosen, options, onChange, single = false }: ChipsProps<V>) {
  const toggle = (value: V): void => {
    if (chosen.includes(value)) onChange(chosen.filter((v) => v !== value));
    else onChange(single ? [value] : options.map((o) => o.value).filter((v) => v === value || chosen.includes(v)));
  };
  return (
    <div class="chips" role="group" aria-label={label}>
      {options.map((o) => (
        <button key={o.value} type="button" class="chip" aria-pressed={chosen.includes(o.value)} disabled={o.disabled} onClick={() => toggle(o.value)}>
          {o.kind && <span class={`swatch ${o.kind}`} aria-hidden="true" />}
          <span>{o.label}</span>
          {o.count !== undefined && <span class="number quiet">{o.count}</span>}
        </button>
      ))}
    </div>
  );
}
