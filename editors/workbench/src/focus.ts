/** Keeps the keyboard in place when what had it goes away, such as a row that was removed. */

const focusable = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex='0']";

/** Follows what has the focus below a root until the returned function is called. */
export function keepFocus(root: HTMLElement): () => void {
  let chain: { element: Element; at: number }[] = []; // what has the focus, then its ancestors, each with its place among its siblings
  const note = (event: FocusEvent): void => {
    chain = [];
    for (let e = event.target instanceof Element ? event.target : null; e && e !== root.parentElement; e = e.parentElement) {
      chain.push({ element: e, at: e.parentElement ? [...e.parentElement.children].indexOf(e) : 0 });
    }
  };
  const leave = (event: FocusEvent): void => {
    const left = event.target;
    if (!event.relatedTarget) queueMicrotask(() => (chain = left instanceof Element && left.isConnected ? [] : chain)); // it was left, not removed
  };
  const observer = new MutationObserver(() => {
    const [lost] = chain;
    if (!lost || lost.element.isConnected || document.activeElement !== document.body) return;
    const level = chain.findIndex((c) => c.element.isConnected);
    const parent = chain[level]?.element;
    const at = chain[level - 1]?.at ?? 0;
    chain = [];
    if (parent) near(parent, at)?.focus({ preventScroll: true });
  });
  root.addEventListener("focusin", note);
  root.addEventListener("focusout", leave);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    root.removeEventListener("focusin", note);
    root.removeEventListener("focusout", leave);
    observer.disconnect();
  };
}

/** Returns what can have the focus next to the child that was lost: behind it, before it, or further up. */
function near(parent: Element, at: number): HTMLElement | undefined {
  for (let p: Element | null = parent; p; p = p.parentElement) {
    const children = [...p.children];
    for (const child of [...children.slice(at), ...children.slice(0, at).reverse()]) {
      const found = child.matches(focusable) ? (child as HTMLElement) : child.querySelector<HTMLElement>(focusable);
      if (found) return found;
    }
    at = p.parentElement ? [...p.parentElement.children].indexOf(p) : 0;
  }
  return undefined;
}
