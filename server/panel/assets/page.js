// @ts-check
/** The panel as a page of its own: the program that serves it executes the commands. */
import { Panel } from "./panel.js";

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
async function post(path, body, signal) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
  const text = await answer.text();
  if (!answer.ok) {
    let error;
    try {
      error = JSON.parse(text);
    } catch {
      error = { message: text || answer.statusText };
    }
    throw error;
  }
  return text ? JSON.parse(text) : null;
}

const root = /** @type {HTMLElement} */ (document.getElementById("contexture"));
try {
  const { roots } = await post("/session", {});
  new Panel(
    root,
    {
      execute: (command, args, signal) => post("/execute", { command, args }, signal),
      copy: (text) => navigator.clipboard.writeText(text),
      saved: () => JSON.parse(sessionStorage.getItem("panel") ?? "null"),
      save: (state) => sessionStorage.setItem("panel", JSON.stringify(state)),
    },
    roots,
  );
} catch (error) {
  root.textContent = `Contexture: ${/** @type {any} */ (error).message ?? error}`;
}
