/** What lies over the place until it is closed: by Escape, by a press beside it, or by what closes it itself. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { overlay } from "../keys";

interface ModalProps {
  label: string;
  class: string;
  children: ComponentChildren;
}

/** Lives while it is open. The keyboard returns to where it was. */
export function Modal({ label, class: kind, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} class={kind} aria-label={label} onClose={() => (overlay.value = undefined)} onClick={(e) => e.target === e.currentTarget && e.currentTarget.close()}>
      {children}
    </dialog>
  );
}
