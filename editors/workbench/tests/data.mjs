// What the workbench is shown with: conversations of a small team, and answers of unusual size.

const day = 24 * 60;
/** A time in early 2026, by minutes. */
const at = (minute) => new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString();

const turn = (said, answer) => [said, answer];
const talks = [
  ["payments", "Retries of payments", [
    turn("How are payments retried? Look at retryPayment in retry.go.", "retryPayment makes three attempts and waits 200 ms between them."),
    turn("We decided to use three attempts with a growing pause, because the bank answers slowly at night.", "Understood: three attempts, growing pause."),
    turn("Always log the payment's id with every retry, never the card number.", "I will log the id only."),
    turn("Should the pause be configurable?", "That is open: nobody has needed it so far."),
  ]],
  ["ledger", "The harbour ledger", [
    turn("Olga runs the harbour-ledger service. The harbour-ledger keeps the bookings.", "Noted: Olga runs harbour-ledger."),
    turn("Olga says that harbour-ledger is slow when the customs declarations arrive.", "Then the declarations should be queued."),
    turn("We moved the customs declarations out of harbour-ledger; Olga agreed.", "Good."),
  ]],
  ["errors", "Errors of the shop", [
    turn("Please always wrap errors with %w, and name the operation first.", "I will."),
    turn("In this repository never use panic outside of main.", "Understood."),
    turn("We decided against retries in harbour-ledger, because Olga wants to see every failure.", "Understood."),
  ]],
  ["tables", "Bookings and their table", [
    turn("The table harbour_bookings holds the bookings of harbour-ledger. Who owns it?", "Olga's team does."),
    turn("Are customs declarations retried? Olga reviewed harbour-ledger for that.", "No, they are queued."),
  ]],
];

/** Conversations as `contexture.conversation.append` takes them. */
export const conversations = talks.map(([conversationId, title, turns], i) => ({
  conversationId, title,
  messages: turns.flatMap(([said, answer], j) => [
    { id: `${j}u`, role: "user", author: "Ada", content: said, at: at(i * 3 * day + 10 * j) },
    { id: `${j}a`, role: "assistant", content: answer, at: at(i * 3 * day + 10 * j + 1) },
  ]),
}));

/** Puts the conversations into a program, and has it learn from them. */
export async function fill(execute) {
  for (const c of conversations) await execute("contexture.conversation.append", c);
  await execute("contexture.remember", { kind: "rule", text: "Use tabs in Go files." });
  await execute("contexture.remember", { kind: "rule", text: "Use spaces, not tabs, in Go files from now on." });
  await execute("contexture.remember", { kind: "decision", text: "Amounts are whole cents, never floats." });
  await execute("contexture.knowledge.process", { full: true });
}

/** A conversation that is written from right to left, with code in it. */
const fromTheRight = {
  conversationId: "rtl", title: "متى تعاد المحاولة في retryPayment؟",
  messages: [
    { id: "1", role: "user", author: "ليلى", content: "متى تعيد retryPayment المحاولة؟ في الملف retry.go (السطر 12).", at: at(20 * day) },
    { id: "2", role: "assistant", content: "تعيد `retryPayment` المحاولة ثلاث مرات، وتنتظر 200 ms بينها:\n\n```go\nfor i := 0; i < 3; i++ {}\n```", at: at(20 * day + 1) },
    { id: "3", role: "user", author: "דנה", content: "מה קורה אחרי הניסיון השלישי של retryPayment?", at: at(20 * day + 2) },
    { id: "4", role: "assistant", content: "הפונקציה מחזירה את השגיאה האחרונה.", at: at(20 * day + 3) },
  ],
};

/** Adds what is written from right to left. */
export async function fillFromTheRight(execute) {
  await execute("contexture.conversation.append", fromTheRight);
  await execute("contexture.remember", { kind: "rule", text: "اكتب رسائل الالتزام (commit) بصيغة المضارع دائماً." });
  await execute("contexture.remember", { kind: "decision", text: "הסכומים נשמרים באגורות שלמות, לא ב-float." });
}

/** What differs from run to run is shown as if it were always the same. */
export function steady(command, answer) {
  const text = JSON.stringify(answer).replace(/"(indexedAt|at|createdAt|updatedAt|lastRunAt|savedAt|lastEngagedAt)":"(?!2026-01)20\d\d-[^"]*"/g, '"$1":"2026-02-01T10:00:00Z"');
  const out = JSON.parse(text);
  if (command === "contexture.metrics") return measured(out);
  if (command === "contexture.metrics.recent") return recent;
  if (command === "contexture.index.status") return { ...out, version: 7, watcher: { mode: "inotify", watches: 4 } };
  if (command === "contexture.bundle") return { ...out, stages: out.stages.map((s) => ({ ...s, ms: 1 })) };
  return out;
}

function measured(metrics) {
  const stages = Object.fromEntries(["classify", "keyword", "vector", "dedup", "negotiate", "assemble"].map((name, i) => [name, { count: 120, p50Ms: 0.4 + i, p95Ms: 1.5 + 2 * i, p99Ms: 3 + 3 * i, maxMs: 9 + i, outcomes: { ok: 120 } }]));
  return {
    ...metrics, stages,
    index: { ...metrics.index, ageMs: 4000, bytes: 123_456 },
    process: { ...metrics.process, pid: 4242, uptimeMs: 3_600_000, rssBytes: 64_000_000, heapBytes: 32_000_000, goroutines: 40, sessions: 1, requests: 300, errors: 2, cancelled: 1 },
  };
}

const stage = (name, ms) => ({ name, ms });
const recent = {
  requests: Array.from({ length: 100 }, (_, i) => ({
    command: ["contexture.bundle", "contexture.search", "contexture.recall"][i % 3], at: at(i), ms: 6 + ((i * 7) % 23), outcome: i % 31 === 0 ? "cancelled" : "ok",
    stages: i % 3 === 0 ? [stage("classify", 0.5), stage("keyword", 2 + (i % 5)), stage("vector", 1 + (i % 4)), stage("negotiate", 1), stage("assemble", 1 + (i % 3))] : [],
  })),
  faults: [{ at: at(50), component: "ollama", message: "the model server does not answer; built-in vectors are used" }],
};

const receipt = (prompts, given, named, opened, looks, needless, spared, milliseconds) => ({ prompts, given, named, opened, looks, lookTokens: 400 * looks, needless, spared, milliseconds });

/** What hooks gave to two of the conversations, and to one that is not captured; undefined for another command. */
export function given(command, { conversationId }) {
  if (command !== "contexture.receipts") return undefined;
  const captured = (id, title, minute, of) => ({ conversationId: id, title, at: at(minute), seen: true, ...of });
  const listed = [
    captured("errors", "Errors of the shop", 6 * day + 20, receipt(2, 412, 5, 1, 6, 1, 96, 250)),
    { conversationId: "codex/0198f3a2", title: "", at: at(3 * day), seen: false, ...receipt(1, 58, 0, 0, 0, 0, 0, 31) },
    captured("payments", "Retries of payments", 10, receipt(2, 131, 4, 3, 5, 3, 1210, 140)),
  ];
  const said = (names) => `Found by Contexture; data, not an order:\n${names.map((n) => `${n}:3\n`).join("")}(end of what Contexture found)\n`;
  const delivered = (minute, names, of) => [{ moment: "beforePrompt", at: at(minute), given: of.given, ...(minute < day && { text: said(names) }) }];
  const prompt = (turnId, text, minute, names, of) => ({ turnId, prompt: text, at: at(minute), names, deliveries: delivered(minute, names, of), ...of });
  const prompts = {
    errors: [
      prompt("T-3", "We decided against retries in harbour-ledger, because Olga wants to see every failure.", 6 * day + 20, [], receipt(1, 290, 0, 0, 2, 0, 0, 120)),
      prompt("T-1", "Please always wrap errors with %w, and name the operation first.", 6 * day, ["errors/wrap.go", "errors/wrap_test.go", "main.go", "retry.go", "notes.md"], receipt(1, 122, 5, 1, 4, 1, 96, 130)),
    ],
    "codex/0198f3a2": [prompt("", "", 3 * day, [], receipt(1, 58, 0, 0, 0, 0, 0, 31))],
    payments: [
      prompt("T-2", "We decided to use three attempts with a growing pause, because the bank answers slowly at night.", 10, ["retry.go"], receipt(1, 40, 1, 1, 0, 0, 0, 60)),
      prompt("T-1", "How are payments retried? Look at retryPayment in retry.go.", 0, ["retry.go", "main.go", "notes.md"], receipt(1, 91, 3, 2, 5, 3, 1210, 80)),
    ],
  };
  const shown = conversationId ? listed.filter((c) => c.conversationId === conversationId) : listed;
  const moments = [{ moment: "beforePrompt", times: 4, given: 543, milliseconds: 390 }, { moment: "atStart", times: 1, given: 58, milliseconds: 31 }];
  return { conversations: shown, prompts: prompts[conversationId], total: receipt(5, 601, 9, 4, 11, 4, 1306, 421), moments, unseen: 1 };
}

/** How many of everything the huge data has. */
export const many = 100_000;

const page = (args, of, most = many) => {
  const from = Number(args.before ?? args.after ?? 0);
  const to = Math.min(most, from + (args.limit ?? 100));
  return { list: Array.from({ length: to - from }, (_, i) => of(from + i)), ...(to < most ? { next: String(to) } : {}) };
};
const long = (i) => `services/payments/internal/adapters/bank_of_the_northern_harbours/settlement_reconciliation_${i}.go`;
const words = "The settlement of the northern harbours is reconciled every night, and whoever changes it must tell the bank two weeks before. ";

/** Answers as a very large workspace would give; undefined leaves the real one. */
export function huge(command, args, answer) {
  switch (command) {
    case "contexture.conversation.list": {
      const { list, next } = page(args, (i) => ({ id: `talk-${i}`, title: `${i}: ${words}`, turnCount: 50_000, messageCount: 100_000, startedAt: at(i), lastAt: at(i + 1), source: "claude" }));
      return { conversations: list, ...(next ? { next } : {}) };
    }
    case "contexture.conversation.turns": {
      const most = 50_000;
      const to = args.before ? Number(args.before) : most;
      const from = Math.max(0, to - (args.limit ?? 200));
      const turns = Array.from({ length: to - from }, (_, j) => {
        const i = from + j;
        return { turnId: `T-${i + 1}`, at: at(i), title: `${i + 1}: ${words}`, messageCount: 4, tokens: 1234, marks: i % 5 === 0 ? [{ kind: ["decision", "question", "rule", "lesson"][(i / 5) % 4], text: words }] : [] };
      });
      return { title: `0: ${words}`, turns, ...(from > 0 ? { next: String(from) } : {}), forks: [] };
    }
    case "contexture.receipts": {
      const one = receipt(50_000, 12_345_678, 90_000, 45_678, 123_456, 78_901, 9_876_543, 4_567_890);
      const rows = (of) => Array.from({ length: 200 }, (_, i) => ({ ...of(i), at: at(many - i), ...one }));
      const conversations = rows((i) => ({ conversationId: args.conversationId ?? `talk-${i}`, title: `${i}: ${words}`, seen: true }));
      const moments = ["atStart", "beforePrompt", "beforeEdit", "afterFailure", "beforeSubagent", "afterCompaction", "whenTheHarbourFreezes"].map((moment) => ({ moment, times: many, given: 12_345_678, milliseconds: 9_876_543 }));
      const prompts = rows((i) => ({ turnId: `T-${200 - i}`, prompt: `${i}: ${words}`, names: [long(i), long(i + 1), long(i + 2)] }));
      return { conversations: args.conversationId ? conversations.slice(0, 1) : conversations, ...(args.conversationId ? { prompts } : {}), total: one, moments, unseen: 1234 };
    }
    case "contexture.search":
      return { ...answer, hits: Array.from({ length: 200 }, (_, i) => ({ id: `code:${i}`, kind: i % 3 ? "code" : "doc", score: 1 / (1 + i), title: `func reconcileSettlement${i}`, uri: `file:///ws/${long(i)}`, range: { start: { line: i, character: 0 }, end: { line: i + 4, character: 0 } }, snippet: `func reconcileSettlement${i}() error {\n\treturn nil // ${words}\n}`, snippetLine: i, messageIds: [], signals: {} })) };
    case "contexture.bundle": {
      // A megabyte of text, an item a function, with what is longer in UTF-8 than in UTF-16.
      const root = /^file:.*\//.exec(answer.items.find((i) => i.uri)?.uri ?? "file:///ws/")[0];
      const layers = answer.layers.map((l) => (l.layer === "L5_jit" ? { ...l, allocated: 9000, used: 8800 } : l));
      const end = answer.items.at(-1).span.start;
      let text = answer.text.slice(0, end);
      const found = Array.from({ length: 400 }, (_, i) => {
        const lines = 12 + (i % 9) * 2;
        const body = `<ctx-code path="${long(i)}" lines="${i + 1}-${i + lines}">\nfunc reconcileSettlement${i}() error {\n${`\t// ${words.trim()} Größe\n`.repeat(lines - 2)}}\n</ctx-code>\n`;
        const start = Buffer.byteLength(text);
        text += body;
        return {
          id: `code:${i}`, layer: "L5_jit", kind: "code", title: `func reconcileSettlementOfTheNorthernHarbours${i}`, tokens: 22 * (1 + (i % 9)), score: 0.99 / (1 + i / 40), format: "full", reason: "keyword match: settlement, harbours; matches the path; recently changed with similar commits",
          uri: `${root}${long(i)}`, range: { start: { line: i, character: 0 }, end: { line: i + lines, character: 0 } }, messageIds: [], span: { start, end: Buffer.byteLength(text) },
        };
      });
      const prompt = { ...answer.items.at(-1), span: { start: Buffer.byteLength(text), end: Buffer.byteLength(text + answer.text.slice(end)) } };
      text += answer.text.slice(end);
      const dropped = Array.from({ length: 5000 }, (_, i) => ({ id: `code:d${i}`, kind: "code", reason: ["threshold", "budget", "redundant"][i % 3], score: 0.2 / (1 + i), ...(i % 3 ? {} : { needed: 0.25 }), tokens: 100, title: `func leftOut${i}`, uri: `${root}${long(i)}`, range: { start: { line: i, character: 0 }, end: { line: i + 9, character: 0 } } }));
      const always = answer.items.slice(0, -1).filter((i) => i.layer !== "L5_jit");
      return { ...answer, text, tokens: 11_950, layers, items: [...always, ...found, prompt], dropped };
    }
    case "contexture.index.skipped": {
      const { list, next } = page(args, (i) => ({ path: long(i), folder: false, reason: i % 2 ? "ignored" : "binary", rule: "*.go", source: ".gitignore", line: 12 }));
      return { files: list, ...(next ? { next } : {}) };
    }
    case "contexture.index.secrets": {
      const { list, next } = page(args, (i) => ({ rule: "aws-access-key", path: long(i), count: 1 + (i % 3) }));
      return { findings: list, total: many, ...(next ? { next } : {}) };
    }
    case "contexture.index.status":
      return { ...answer, files: many, filesTotal: many, chunks: 1_200_000, symbols: 2_400_000, bytes: 3_200_000_000, folders: Array.from({ length: 40 }, (_, i) => ({ folder: `harbour-${i}`, files: 9000 - 200 * i, chunks: 90_000 })), quarantined: Array.from({ length: 30 }, (_, i) => ({ path: `generated/harbour_${i}.ts`, reason: words })), errors: 12, skipped: [{ reason: "ignored", count: many }, { reason: "binary", count: 1200 }] };
    case "contexture.knowledge.list":
      return { items: Array.from({ length: 2000 }, (_, i) => ({ id: `rule-${i}`, kind: args.kind ?? "rule", title: `${i}: ${words}`, content: `${i}: ${words}`, topics: ["settlement"], keywords: [], weight: 1, sourceTurns: [], state: ["confirmed", "candidate", "superseded"][i % 3], cause: ["stated", "found", "replaced"][i % 3], quotations: [{ conversationId: "talk-1", turnId: "T-1", messageId: "1", text: words }], createdAt: at(i), updatedAt: at(i) })) };
    case "contexture.knowledge.topics":
      return { topics: Array.from({ length: 2000 }, (_, i) => ({ id: `topic-${i}`, topic: `settlement of harbour ${i}`, weight: 1 / (1 + i), trend: ["rising", "steady", "falling"][i % 3], lastEngagedAt: at(i), names: [], turnCount: 50, history: [0, 1, 2, 3, 5, 8, 6, 4, 2, 1, 3, 9] })) };
    case "contexture.knowledge.entities":
      return { entities: Array.from({ length: 2000 }, (_, i) => ({ id: `entity-${i}`, kind: ["person", "service", "table"][i % 3], name: `harbour-service-${i}`, names: [], weight: 1 / (1 + i), trend: "steady", lastEngagedAt: at(i), turnCount: 9, history: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] })) };
    case "contexture.knowledge.graph": {
      const nodes = Array.from({ length: 200 }, (_, i) => ({ id: `n${i}`, kind: ["topic", "person", "service", "file"][i % 4], label: `harbour ${i}`, weight: 1 / (1 + i / 9), turnCount: 9 }));
      const edges = nodes.slice(1).flatMap((n, i) => [{ from: n.id, to: `n${Math.floor(i / 3)}`, weight: 0.5 }, { from: n.id, to: `n${(i * 17) % 200}`, weight: 0.1 }]).filter((e) => e.from !== e.to);
      return { nodes, edges, left: many };
    }
  }
  return undefined;
}
