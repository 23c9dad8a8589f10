/** How often something came up, week by week, as a small line. */

const [width, height] = [64, 18];

/** Returns the points of the line: the largest value touches the upper edge, 0 the lower one. */
export function points(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? (width - 4) / (values.length - 1) : 0;
  return values.map((v, i) => `${round(2 + i * step)},${round(height - 2 - (v / most) * (height - 4))}`).join(" ");
}

function round(n: number): number {
  return Math.round(n * 10) / 10;
}

export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const line = points(values);
  const last = line.split(" ").at(-1)?.split(",");
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label} focusable="false">
      <title>{label}</title>
      <polyline points={line} />
      {last && <circle cx={last[0]} cy={last[1]} r="1.8" />}
    </svg>
  );
}
