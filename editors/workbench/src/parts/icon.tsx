/** Icons: strokes on a grid of 16. They are decoration; what they mean stands beside them or in a label. */
const paths = {
  context: "M2.5 3.5h11M2.5 8h7M2.5 12.5h9",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 0 0 0-9M10.5 10.5l3.5 3.5",
  conversations: "M2.5 3h11v7.5h-6l-3 2.7v-2.7h-2z",
  rules: "M3 2.5h7l3 3v8H3zM5.5 8l1.5 1.5 3-3M5.5 12h5",
  topics: "M4.5 5.5a2 2 0 1 0-.01 0M12 4.8a1.6 1.6 0 1 0-.01 0M9 14a2 2 0 1 0-.01 0M6.2 4l4-.5M5.4 5.2l2.6 5M11.3 4.7l-1.8 5.4",
  receipts: "M3.5 2.5h9v11l-1.5-1.2-1.5 1.2-1.5-1.2-1.5 1.2-1.5-1.2-1.5 1.2zM6 5.5h4M6 8.5h4",
  index: "M2.5 4c0-2 11-2 11 0v8c0 2-11 2-11 0zM2.5 4c0 2 11 2 11 0M2.5 8c0 2 11 2 11 0",
  close: "M4 4l8 8M12 4l-8 8",
  chevron: "M6 4l4 4-4 4",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  open: "M9 2.5h4.5V7M13.5 2.5L7.5 8.5M11.5 9.5v4h-9v-9h4",
  pin: "M6 2.5h4l-.5 4 2.5 2.5H4l2.5-2.5zM8 9v5",
  out: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  check: "M3 8.5l3.5 3.5 6.5-8",
  edit: "M3 13l.7-3 7-7 2.3 2.3-7 7z",
  trash: "M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9",
  refresh: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  add: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  whole: "M2.5 6v-3.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  back: "M10 4L6 8l4 4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  filter: "M2.5 3.5h11L9.5 8.5v4l-3 1v-5z",
  warn: "M8 2.5l6 11H2zM8 6.5v3.5M8 12h.01",
  fork: "M4.5 2.5v11M4.5 8c5 0 7-1 7-4.5",
  settings: "M2.5 5h5M11.5 5h2M9.5 3.2a1.8 1.8 0 1 0 .01 0M2.5 11h2M8.5 11h5M6.5 9.2a1.8 1.8 0 1 0 .01 0",
  code: "M5.5 4.5L2.5 8l3 3.5M10.5 4.5l3 3.5-3 3.5",
  doc: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  turn: "M2.5 3h11v7.5h-6l-3 2.7v-2.7h-2z",
  lesson: "M8 2.5a4 4 0 0 1 2.3 7.3v1.7H5.7V9.8A4 4 0 0 1 8 2.5M6.3 13.5h3.4",
  person: "M8 3a2.5 2.5 0 1 0 0 5a2.5 2.5 0 0 0 0-5M3 13.5c.5-5 9.5-5 10 0",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
