// The window of VS Code, as tests use it: the palette, the views of the side bar, and the webview among them.
export const views = ["Context", "Rules and Decisions", "Conversations", "Index"];

/** Longer than the views wait between two refreshes, in milliseconds. */
const refreshed = 700;

/** Longer than a menu does nothing for a click after it opens, in milliseconds. */
const deaf = 300;

/** How long a try may take of what is tried again, in milliseconds, and how many there are. */
const soon = { timeout: 3000 };
const tries = 20;

/** Whether an action ends well. */
const done = (action) => action.then(() => true, () => false);

/** Returns ways to use a window whose views have these titles, in their order. */
export function workbench(page, titles = views) {
  /** Points at nothing that says anything of itself, in this window or another. */
  const pointAway = (of = page) => of.mouse.move(700, 200);
  const palette = async (command) => {
    const input = page.locator(".quick-input-widget input[type=text]");
    const found = page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first();
    for (let i = 0; i < tries; i++) {
      await page.keyboard.press("F1");
      await input.waitFor({ state: "visible" });
      await input.fill(`>${command}`);
      if (await done(found.click(soon))) return;
      await page.keyboard.press("Escape");
    }
    throw new Error(`the palette does not run ${command}`);
  };
  /**
   * Clicks a line of a view, or an action of it, which it shows while the pointer is on it, until that has led to what is
   * shown then: a refresh in between may move the line from under the pointer, lay on top what is shown for another one,
   * or take the button away between the press and the release.
   */
  const press = async (line, shown, action) => {
    const target = action ? line.getByRole("button", { name: action }).first() : line;
    for (let i = 0; i < tries; i++) {
      if (await shown.first().isVisible()) return;
      if ((await done(line.hover(soon))) && (await done(target.click(soon))) && (await done(shown.first().waitFor(soon)))) return;
      await pointAway();
    }
    throw new Error(`${target} does not lead to ${shown}`);
  };
  /** Points at something until that shows what it is about, and clicks that if asked to: a refresh takes either away. */
  const hover = async (target, shown, { click } = {}) => {
    for (let i = 0; i < tries; i++) {
      await pointAway(target.page());
      if (!(await done(target.hover(soon))) || !(await done(shown.first().waitFor(soon)))) continue;
      if (!click || (await done(shown.first().click(soon)))) return;
    }
    throw new Error(`${target} does not show ${shown}`);
  };
  /** Chooses from the menu of a line, until that has led to what is shown then. */
  const choose = async (line, item, shown) => {
    const found = page.locator(".context-view .action-item", { hasText: item });
    for (let i = 0; i < tries; i++) {
      if (await shown.first().isVisible()) return;
      const opened = (await done(line.click({ button: "right", ...soon }))) && (await done(found.waitFor(soon)));
      await page.waitForTimeout(deaf);
      if (opened && (await done(found.click(soon))) && (await done(shown.first().waitFor(soon)))) return;
      await page.keyboard.press("Escape");
    }
    throw new Error(`${item} of the menu of ${line} does not lead to ${shown}`);
  };
  /** Answers a notification: where it was shown or, since that is for a while only, in the list of them. */
  const answer = async (said, button) => {
    const found = page.locator(".notification-list-item", { hasText: said }).getByRole("button", { name: button }).first();
    for (let i = 0; i < tries; i++) {
      if (await done(found.click(soon))) return;
      await palette("Notifications: Show Notifications");
    }
    throw new Error(`${said} is not answered by ${button}`);
  };
  const pane = (title) => page.locator(".pane", { has: page.locator(".pane-header", { hasText: title }) });
  const rows = (title) => pane(title).locator(".monaco-list-row");
  const row = (title, text) => rows(title).filter({ hasText: text }).first();
  /**
   * Opens lines, and keeps at it: a refresh that comes with the click takes it away, or closes the line again, and with
   * it goes what stands below.
   */
  const expand = async (title, ...texts) => {
    const isOpen = async (text) => (await row(title, text).and(page.locator('[aria-expanded="true"]')).count()) > 0;
    for (let round = 0; texts.length > 0; round++) {
      if (round === 10) throw new Error(`${texts} do not stay open`);
      for (const text of texts) {
        if (!(await done(row(title, text).waitFor(soon)))) break;
        if ((await isOpen(text)) || !(await done(row(title, text).click(soon)))) continue;
        // A second click would close what opens late.
        await done(row(title, text).and(page.locator('[aria-expanded="true"]')).waitFor(soon));
      }
      await page.waitForTimeout(refreshed);
      const open = await Promise.all(texts.map(isOpen));
      if (open.every(Boolean)) return;
    }
  };
  /** Opens or closes the parts of the side bar, so that one of them has the room. */
  const only = async (title) => {
    for (const other of titles) {
      const wanted = `[aria-expanded="${other === title}"]`;
      const header = page.locator(".pane-header", { has: page.getByRole("button", { name: new RegExp(`^${other} Section`) }) }).or(page.locator(`.pane-header[aria-label^="${other} Section"]`)).first();
      await press(header, header.and(page.locator(wanted)));
    }
  };
  /** The page inside the webview. */
  const webview = () => page.frameLocator('iframe.webview[src*="purpose=webviewView"]').frameLocator("iframe#active-frame");
  return { pointAway, palette, press, hover, choose, answer, pane, rows, row, expand, only, webview };
}
