/** The controls that all places use. */
import type { ComponentChildren, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useId } from "preact/hooks";
import { shortcuts } from "../keys";
import { Icon, type IconName } from "./icon";

interface ButtonProps {
  /** What it does, in words. */
  label: string;
  icon?: IconName;
  /** Shows the icon only; the label is its name. */
  iconOnly?: boolean;
  /** What a screen reader says instead of the label, where there are several of its kind. */
  name?: string;
  kind?: "primary" | "quiet" | "danger";
  /** The keys that do the same. */
  keys?: readonly string[];
  pressed?: boolean;
  expanded?: boolean;
  disabled?: boolean;
  onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}

export function Button({ label, icon, iconOnly, name, kind = "quiet", keys, pressed, expanded, disabled, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}${iconOnly ? " icon-only" : ""}`}
      aria-label={name ?? (iconOnly ? label : undefined)}
      title={iconOnly ? label : undefined}
      aria-keyshortcuts={keys?.join(" ")}
      aria-pressed={pressed}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {!iconOnly && <span>{label}</span>}
      {shortcuts.value && keys?.map((k) => <kbd key={k} data-key={k} aria-hidden="true" />)}
    </button>
  );
}

interface FieldProps {
  label: string;
  /** Hides the label from the eyes. */
  bare?: boolean;
  children: (id: string) => ComponentChildren;
}

/** A label with its control. */
export function Field({ label, bare, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={bare ? "unseen" : undefined}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}

interface SelectProps<V extends string> {
  label: string;
  bare?: boolean;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

export function Select<V extends string>({ label, bare = false, value, options, onChange }: SelectProps<V>) {
  return (
    <Field label={label} bare={bare}>
      {(id) => (
        <select id={id} value={value} onChange={(e) => onChange(e.currentTarget.value as V)}>
          {options.map((o) => (
            <option key={o.value} value={o.value} selected={o.value === value}>
              {o.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface TabsProps<V extends string> {
  label: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange: (value: V) => void;
}

/** A choice of one out of few, as buttons side by side. Arrow keys move the choice. */
export function Choice<V extends string>({ label, value, options, onChange }: TabsProps<V>) {
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = (options.findIndex((o) => o.value === value) + step + options.length) % options.length;
    const next = options[at];
    if (!next) return;
    onChange(next.value);
    event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")[at]?.focus();
  };
  return (
    <div class="choice" role="radiogroup" aria-label={label} onKeyDown={move}>
      {options.map((o) => (
        <button key={o.value} type="button" role="radio" aria-checked={o.value === value} tabIndex={o.value === value ? 0 : -1} onClick={() => onChange(o.value)}>
          {o.label}
        </button>
      ))}
    </div>
  );
}

/** Small facts in a row, with dots between them. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <div class="facts">{children}</div>;
}

/** A number with its name, in a `dl` of the class `numbers`. */
export function Measure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <span class="quiet">{note}</span>}
      </dd>
    </div>
  );
}

/** A share of one as a small bar. */
export function Score({ share, label }: { share: number; label: string }) {
  return (
    <span class="score" role="img" aria-label={label} title={label}>
      <span style={{ inlineSize: `${Math.round(100 * Math.min(1, Math.max(0, share)))}%` }} />
    </span>
  );
}
