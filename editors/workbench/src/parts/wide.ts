/** Whether there is room for a list and, beside it, what is chosen in it. */
import { useEffect, useState } from "preact/hooks";

/** The width from which there is room, in pixels. */
const besideFrom = 880;

export function useWide(box: { current: HTMLElement | null }, from = besideFrom): boolean {
  const [wide, setWide] = useState(true);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWide(entry.contentRect.width >= from));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return wide;
}
