/** The field that a list is searched with. */
import { Field } from "./controls";
import { Icon } from "./icon";

interface FindProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** Takes the keyboard to the list below. */
  onDown?: () => void;
}

export function Find({ label, value, onInput, onDown }: FindProps) {
  return (
    <div class="find">
      <Icon name="search" />
      <Field label={label} bare>
        {(id) => (
          <input
            id={id}
            type="search"
            data-main-field
            dir="auto"
            spellcheck={false}
            autocomplete="off"
            placeholder={label}
            value={value}
            onInput={(e) => onInput(e.currentTarget.value)}
            onKeyDown={(e) => {
              if (e.key === "Escape" && value) {
                e.preventDefault();
                onInput("");
              } else if (e.key === "ArrowDown" && onDown) {
                e.preventDefault();
                onDown();
              }
            }}
          />
        )}
      </Field>
    </div>
  );
}

/** Moves the keyboard to the first row of the list. */
export function focusList(): void {
  document.querySelector<HTMLElement>("main ul.virtual > li :is(button, a, [tabindex='0'])")?.focus();
}

/** Returns whether every word of the query occurs in one of the texts. */
export function matches(query: string, texts: readonly (string | undefined)[]): boolean {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return true;
  const all = texts.filter(Boolean).join("\n").toLocaleLowerCase();
  return words.every((w) => all.includes(w));
}
