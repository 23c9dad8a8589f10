/** Whether there is room for a list and, beside it, what is chosen in it. */
import { useLayoutEffect, useState } from "preact/hooks";

/** The width from which there is room, in pixels. */
const besideFrom = 880;

export function useWide(box: { current: HTMLElement | null }, from = besideFrom): boolean {
  const [wide, setWide] = useState(true);
  useLayoutEffect(() => {
    if (!box.current) return;
    // The observer looks after the first drawing, which would place what it draws wrongly.
    const { paddingLeft, paddingRight } = getComputedStyle(box.current);
    setWide(box.current.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) >= from);
    const observer = new ResizeObserver(([entry]) => entry && setWide(entry.contentRect.width >= from));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return wide;
}
