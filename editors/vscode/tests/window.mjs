// The window of VS Code, as tests use it: the palette, the views of the side bar, and the webview among them.
export const views = ["Context", "Rules and Decisions", "Conversations", "Index"];

/** Longer than the views wait between two refreshes, in milliseconds. */
const refreshed = 700;

/** Returns ways to use a window whose views have these titles, in their order. */
export function workbench(page, titles = views) {
  const palette = async (command) => {
    await page.keyboard.press("F1");
    const input = page.locator(".quick-input-widget input[type=text]");
    await input.waitFor({ state: "visible" });
    await input.fill(`>${command}`);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first().click();
  };
  const pane = (title) => page.locator(".pane", { has: page.locator(".pane-header", { hasText: title }) });
  const rows = (title) => pane(title).locator(".monaco-list-row");
  const row = (title, text) => rows(title).filter({ hasText: text }).first();
  /**
   * Opens lines, and keeps at it: a refresh that comes with the click takes it away, or closes the line again, and with
   * it goes what stands below.
   */
  const expand = async (title, ...texts) => {
    const soon = { timeout: 3000 };
    const done = (action) => action.then(() => true, () => false);
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
      const header = page.locator(".pane-header", { has: page.getByRole("button", { name: new RegExp(`^${other} Section`) }) }).or(page.locator(`.pane-header[aria-label^="${other} Section"]`)).first();
      if (((await header.getAttribute("aria-expanded")) === "true") !== (other === title)) await header.click();
    }
  };
  /** The page inside the webview. */
  const webview = () => page.frameLocator('iframe.webview[src*="purpose=webviewView"]').frameLocator("iframe#active-frame");
  return { palette, pane, rows, row, expand, only, webview };
}
