/** A dialog over the place. Escape and a press beside it close it, and the keyboard returns to where it was. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../texts";
import { Button } from "./controls";

interface DialogProps {
  open: boolean;
  title: string;
  /** What the button says that does it. */
  confirm: string;
  /** Whether something is destroyed: then the button that does not is chosen at first. */
  danger?: boolean;
  disabled?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ open, title, confirm, danger = false, disabled = false, onConfirm, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (open && !element?.open) element?.showModal();
    else if (!open && element?.open) element.close();
    return () => element?.close(); // one that goes away while it is open does not give the keyboard back by itself
  }, [open]);
  return (
    <dialog ref={dialog} class="ask" aria-labelledby={id} onClose={onClose} onClick={(e) => e.target === e.currentTarget && e.currentTarget.close()}>
      {open && (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            if (!disabled) onConfirm();
          }}
        >
          <h2 id={id} dir="auto">
            {title}
          </h2>
          {children}
          <div class="dialog-buttons">
            <Button label={t("action.cancel")} onClick={() => dialog.current?.close()} />
            <button type="submit" class={`button ${danger ? "destroy" : "primary"}`} disabled={disabled}>
              {confirm}
            </button>
          </div>
        </form>
      )}
    </dialog>
  );
}
