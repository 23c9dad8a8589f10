// @ts-check
/**
 * The panel: type a prompt, see the bundle as it would be sent. It draws; what it knows it asks its host, which is an
 * editor's webview or the page that `contexture panel` serves.
 *
 * @typedef {{
 *   execute: (command: string, args: object, signal: AbortSignal) => Promise<any>,
 *   open?: (uri: string, range?: Range) => void,
 *   copy: (text: string) => Promise<void>,
 *   context?: () => object,
 *   saved?: () => any, save?: (state: any) => void,
 * }} Host what the panel is given. `execute` rejects with {code, message, data?}; `context` is where the person is.
 * @typedef {{start: {line: number, character: number}, end: {line: number, character: number}}} Range
 */

/** How long typing must rest before the panel asks, in milliseconds. */
const rest = 80;

/**
 * How long the panel waits before it asks again what was answered while files were read, in milliseconds: at first, and
 * at last, as it waits twice as long each time.
 */
const again = { first: 1500, most: 60_000 };

/**
 * Makes an element. Text is always set as text: what comes from files is never taken for markup.
 *
 * @param {string} tag
 * @param {Record<string, any>} [attributes] `on…` adds a listener, `text` sets the text
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "text") made.textContent = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/**
 * The path of a file's URI below the one of the roots that holds it, else the whole path.
 *
 * @param {string} uri
 * @param {string[]} roots URIs
 */
export function relative(uri, roots) {
  for (const root of roots) {
    const folder = root.endsWith("/") ? root : root + "/";
    if (uri.startsWith(folder)) return decodeURIComponent(uri.slice(folder.length));
  }
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}

/** A glob that matches the path and no other. @param {string} path */
export function exactly(path) {
  return path.replace(/[\\*?[\]{}]/g, "\\$&");
}

/**
 * An item's text without the delimiters that its span, in bytes, counts in.
 *
 * @param {string} text of the bundle
 * @param {{start: number, end: number}} span
 */
export function content(text, span) {
  const bytes = new TextEncoder().encode(text).slice(span.start, span.end);
  return new TextDecoder().decode(bytes).replace(/^<ctx-[^\n]*\n/, "").replace(/\n?<\/ctx-[\w-]+>\s*$/, "");
}

/** The layers' names for people. @type {Record<string, string>} */
const layerNames = {
  L0_identity: "Identity",
  L1_global_prefs: "Preferences and rules",
  L2_topic: "Topics",
  L3_entity: "Entities",
  L4_conversation: "Conversation memory",
  L5_jit: "Found for this prompt",
  L6_message_history: "History",
  L7_user_message: "Your prompt",
};

export class Panel {
  /**
   * @param {HTMLElement} root
   * @param {Host} host
   * @param {string[]} [roots] URIs of the workspace's folders
   */
  constructor(root, host, roots = []) {
    this.host = host;
    this.roots = roots;
    this.exclude = /** @type {string[]} */ ([]);
    this.asked = 0;
    this.wait = 0;
    this.abort = new AbortController();
    this.bundle = /** @type {any} */ (null);
    const saved = host.saved?.() ?? {};
    this.prompt = element("textarea", { id: "prompt", rows: 3, placeholder: "What do you want to ask?", oninput: () => this.soon() });
    this.prompt.value = saved.prompt ?? "";
    this.budget = element("input", { id: "budget", type: "number", min: 256, max: 1000000, step: 1, placeholder: "12000", oninput: () => this.soon() });
    this.budget.value = saved.budget ?? "";
    this.conversation = element("select", { id: "conversation", onchange: () => this.choose() }, element("option", { value: "", text: "none" }));
    this.said = element("p", { role: "status", class: "quiet" });
    this.result = element("div", {});
    this.side = element("div", {});
    this.dialog = element("dialog", { "aria-label": "Turn" });
    root.replaceChildren(
      element("h1", { text: "Contexture" }),
      element("label", { for: "prompt", text: "Prompt" }),
      this.prompt,
      element(
        "div",
        { class: "row" },
        element("div", {}, element("label", { for: "budget", text: "Budget in tokens" }), this.budget),
        element("div", {}, element("label", { for: "conversation", text: "Conversation" }), this.conversation),
      ),
      this.said,
      this.result,
      this.side,
      this.dialog,
    );
    this.chosen = /** @type {string | undefined} */ (saved.conversation);
    void this.conversations().then(() => this.ask());
    window.addEventListener("focus", () => void this.back());
  }

  /** Goes on in the conversation that stands in the list. */
  choose() {
    this.chosen = this.conversation.value;
    void this.ask();
  }

  /** Looks again when somebody comes back, who may have talked elsewhere. */
  async back() {
    const before = this.chosen;
    await this.conversations();
    if (this.chosen !== before) void this.ask();
  }

  /** Fills the list of conversations. The latest is chosen at first, and when the chosen one is gone. */
  async conversations() {
    try {
      const { conversations } = await this.host.execute("contexture.conversation.list", { limit: 50 }, new AbortController().signal);
      const options = conversations.map((/** @type {any} */ c) => element("option", { value: c.id, text: `${c.title || c.id} (${c.turnCount})` }));
      options.unshift(element("option", { value: "", text: "none" }));
      const shown = [...this.conversation.options];
      const same = shown.length === options.length && shown.every((o, i) => o.isEqualNode(options[i]));
      if (!same) this.conversation.replaceChildren(...options); // else left alone: it may be open
      const known = options.some((/** @type {any} */ o) => o.value === this.chosen);
      this.chosen = this.conversation.value = known ? this.chosen : (conversations[0]?.id ?? "");
    } catch (error) {
      this.tell(error); // the rest works without
    }
  }

  /** Asks when typing has rested. */
  soon() {
    clearTimeout(this.timer);
    this.abort.abort();
    this.timer = setTimeout(() => this.ask(), rest);
  }

  /** Asks for the bundle of what stands in the fields, and for what is shown beside it. */
  async ask() {
    clearTimeout(this.timer);
    this.abort.abort();
    const abort = (this.abort = new AbortController());
    const asked = ++this.asked;
    const prompt = this.prompt.value;
    const conversationId = this.conversation.value || undefined;
    this.host.save?.({ prompt, budget: this.budget.value, conversation: this.conversation.value });
    void this.beside(prompt, conversationId, asked, abort.signal);
    if (!prompt.trim()) {
      this.bundle = null;
      this.result.replaceChildren();
      this.said.textContent = "Type a prompt to see what would be sent with it.";
      return;
    }
    /** @type {any} */
    const args = { ...(this.host.context?.() ?? {}), prompt, conversationId };
    if (this.budget.value) args.budget = Number(this.budget.value);
    if (this.exclude.length) args.exclude = this.exclude;
    try {
      const bundle = await this.host.execute("contexture.bundle", args, abort.signal);
      if (asked !== this.asked) return;
      this.draw(bundle);
      const early = bundle.degraded.some((/** @type {any} */ d) => d.reason === "indexing" && d.stage !== "vector"); // a model server may take an hour
      this.wait = early ? Math.min(2 * this.wait || again.first, again.most) : 0;
      if (early) this.timer = setTimeout(() => this.ask(), this.wait);
    } catch (error) {
      if (asked === this.asked) this.tell(error);
    }
  }

  /** Tells of an error. What was cancelled is none. @param {any} error */
  tell(error) {
    if (error?.name === "AbortError" || error?.code === -32800) return;
    const field = error?.data?.field ? `${error.data.field}: ` : "";
    const text = String(error?.message ?? error);
    this.said.textContent = text.startsWith(field) ? text : field + text;
    this.said.className = "warn";
  }

  /** Shows the reminders and the arc. @param {string} prompt @param {string | undefined} conversationId @param {number} asked @param {AbortSignal} signal */
  async beside(prompt, conversationId, asked, signal) {
    const quietly = (/** @type {Promise<any>} */ p) => p.catch(() => null); // what is not there is not shown
    const [found, arc] = await Promise.all([
      prompt.trim() ? quietly(this.host.execute("contexture.ticklers", { prompt, conversationId }, signal)) : null,
      conversationId ? quietly(this.host.execute("contexture.conversation.arc", { conversationId, style: "light" }, signal)) : null,
    ]);
    if (asked !== this.asked) return;
    const parts = [];
    if (found?.ticklers.length) parts.push(element("h2", { text: "Reminders" }), this.turns(found.ticklers.map((/** @type {any} */ t) => [t.conversationId, t.turnId, t.date, t.summary])));
    if (arc && conversationId) {
      parts.push(element("h2", { text: "Conversation" }), element("p", { text: arc.currentFocus ? `Focus: ${arc.currentFocus}` : "No focus yet." }));
      for (const [title, list] of /** @type {[string, any[]][]} */ ([["Decisions", arc.decisions], ["Open questions", arc.openQuestions]])) {
        parts.push(element("h2", { text: `${title} (${list.length})` }));
        if (list.length) parts.push(this.turns(list.map((e) => [conversationId, e.turnId, "", e.text])));
      }
    }
    this.side.replaceChildren(...parts);
  }

  /** A list of turns that open. @param {[string, string, string, string][]} turns conversation, turn, date, text */
  turns(turns) {
    return element(
      "ul",
      { class: "plain" },
      ...turns.map(([conversation, turn, date, text]) =>
        element("li", {}, element("button", { class: "link", type: "button", text: `${turn} ${date}`.trim(), onclick: () => this.turn(conversation, turn) }), " ", element("span", { text })),
      ),
    );
  }

  /** Opens a turn, whole. @param {string} conversationId @param {string} turnId */
  async turn(conversationId, turnId) {
    try {
      const turn = await this.host.execute("contexture.conversation.turn", { conversationId, turnId, level: "R", pin: false }, new AbortController().signal);
      this.dialog.replaceChildren(
        element("h2", { text: `${conversationId} · ${turnId}` }),
        element("pre", { tabindex: 0, text: turn.text }),
        element("button", { type: "button", text: "Close", onclick: () => this.dialog.close() }),
      );
      this.dialog.showModal();
    } catch (error) {
      this.tell(error);
    }
  }

  /** Draws a bundle. @param {any} bundle */
  draw(bundle) {
    this.bundle = bundle;
    this.say(bundle);
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.key : undefined;
    this.result.replaceChildren(
      this.layers(bundle),
      element("h2", { text: `Items (${bundle.items.length})` }),
      element("ol", { class: "items" }, ...bundle.items.map((/** @type {any} */ item) => this.item(item))),
      element(
        "div",
        { class: "row" },
        element("button", { type: "button", "data-key": "copy", text: "Copy the text", onclick: (/** @type {any} */ event) => this.copy(event.currentTarget) }),
        ...(this.exclude.length ? [element("button", { type: "button", "data-key": "undo", text: `Bring back ${this.exclude.at(-1)}`, onclick: () => this.restore() })] : []),
      ),
      this.dropped(bundle.dropped),
    );
    // What had the keyboard may be gone: what was left out can be brought back, and the text is always there.
    const next = [focused, "undo", "copy"].flatMap((key) => (key ? (this.result.querySelector(`[data-key="${CSS.escape(key)}"]`) ?? []) : []))[0];
    if (focused) /** @type {HTMLElement | undefined} */ (next)?.focus();
  }

  /** Says what a bundle comes to. @param {any} bundle @param {...string} more */
  say(bundle, ...more) {
    const lacks = bundle.degraded.map((/** @type {any} */ d) => `${d.stage}: ${d.reason}${d.detail ? ` (${d.detail})` : ""}`);
    this.said.className = lacks.length ? "warn" : "quiet";
    this.said.textContent = [`${bundle.tokens} of ${bundle.budget} tokens, ${bundle.frame}`, ...lacks, ...more].join(" · ");
  }

  /** The budget by layers. @param {any} bundle */
  layers(bundle) {
    const part = (/** @type {number} */ n) => `${Math.min(100, (100 * n) / Math.max(1, bundle.budget)).toFixed(2)}%`;
    const rows = bundle.layers.filter((/** @type {any} */ l) => l.allocated > 0 || l.used > 0);
    return element(
      "table",
      {},
      element("caption", { class: "quiet", text: "Tokens used of those allocated, by layer" }),
      element("tbody", {}, ...rows.map((/** @type {any} */ l) => {
        const allocated = element("span", { class: "allocated" });
        const used = element("span", { class: "used" });
        allocated.style.width = part(l.allocated);
        used.style.width = part(l.used);
        return element(
          "tr",
          {},
          element("th", { scope: "row", text: layerNames[l.layer] ?? l.layer }),
          element("td", { class: "bar" }, element("div", { class: "track", "aria-hidden": "true" }, allocated, used)),
          element("td", { class: "number", text: `${l.used} of ${l.allocated}` }),
        );
      })),
    );
  }

  /** One item of the bundle. @param {any} item */
  item(item) {
    const file = item.uri?.startsWith("file:") ? relative(item.uri, this.roots) : "";
    const where = file && item.range ? `${file}:${item.range.start.line + 1}` : file;
    const tools = [];
    if (file && this.host.open) tools.push(element("button", { type: "button", "data-key": `open ${item.id}`, text: "Open", "aria-label": `Open ${where}`, onclick: () => this.host.open?.(item.uri, item.range) }));
    if (item.turnId && item.conversationId) tools.push(element("button", { type: "button", "data-key": `turn ${item.id}`, text: "Open the turn", "aria-label": `Open the turn ${item.turnId}`, onclick: () => this.turn(item.conversationId, item.turnId) }));
    if (file) tools.push(element("button", { type: "button", "data-key": `exclude ${item.id}`, text: "Exclude", "aria-label": `Exclude ${file}`, onclick: () => this.leaveOut(file) }));
    if (item.kind !== "prompt" && item.span && this.conversation.value) tools.push(element("button", { type: "button", "data-key": `pin ${item.id}`, text: "Pin", "aria-label": `Pin ${item.title}`, onclick: () => this.pin(item) }));
    return element(
      "li",
      {},
      element("div", { class: "head" }, element("strong", { text: item.title }), element("span", { class: "quiet", text: `${item.kind}, ${item.tokens} tokens` })),
      element("p", { class: "quiet", text: [where, item.reason].filter(Boolean).join(" · ") }),
      element("div", { class: "tools" }, ...tools),
    );
  }

  /** What was left out, and why. @param {any[]} dropped */
  dropped(dropped) {
    if (!dropped.length) return element("p", { class: "quiet", text: "Nothing was left out." });
    return element(
      "details",
      {},
      element("summary", { text: `Left out (${dropped.length})` }),
      element("ul", { class: "plain" }, ...dropped.map((d) => element("li", {}, element("span", { text: d.id }), " ", element("span", { class: "quiet", text: d.reason })))),
    );
  }

  /** Leaves a file out from now on. @param {string} path */
  leaveOut(path) {
    this.exclude.push(exactly(path));
    void this.ask();
  }

  /** Takes the last exclusion back. */
  restore() {
    this.exclude.pop();
    void this.ask();
  }

  /** Copies the bundle's text, and says so where the person looks. @param {HTMLElement} button */
  async copy(button) {
    try {
      await this.host.copy(this.bundle.text ?? "");
      button.textContent = "Copied";
      this.say(this.bundle, "copied");
    } catch (error) {
      this.tell(error);
    }
  }

  /** Puts an item on the conversation's board for five turns. @param {any} item */
  async pin(item) {
    try {
      await this.host.execute(
        "contexture.board.put",
        { conversationId: this.conversation.value, type: "note", title: item.title, content: content(this.bundle.text, item.span) },
        new AbortController().signal,
      );
      await this.ask();
    } catch (error) {
      this.tell(error);
    }
  }
}
