// Written by `contexture install`, removed by `contexture uninstall`.
// It runs the program for OpenCode's events and never fails: without an answer all goes on as without it.
import { spawn } from "node:child_process";

const program = ["contexture"];

function hook(event, input) {
  return new Promise((resolve) => {
    let out = "";
    let child;
    const timer = setTimeout(() => {
      child?.kill();
      resolve("");
    }, 1000);
    const done = (text) => {
      clearTimeout(timer);
      resolve(text);
    };
    try {
      child = spawn(program[0], [...program.slice(1), "hook", "opencode", event], { stdio: ["pipe", "pipe", "ignore"] });
      child.on("error", () => done(""));
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8").on("data", (text) => {
        out += text;
      });
      child.on("close", () => {
        try {
          done(JSON.parse(out).context ?? "");
        } catch {
          done("");
        }
      });
      child.stdin.end(JSON.stringify(input));
    } catch {
      done("");
    }
  });
}

export const Contexture = async ({ directory }) => {
  let last = "";
  const part = (sessionID, messageID, text) => {
    // Ids of parts are compared as text, and sort by the time of their making.
    let id = "prt_" + (BigInt(Date.now()) * 0x1000n).toString(16).padStart(12, "0").slice(-12);
    while (id <= last) id += "0";
    last = id;
    return { id: id + "contexture", sessionID, messageID, type: "text", text, synthetic: true };
  };
  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts
        .filter((p) => p.type === "text" && !p.synthetic)
        .map((p) => p.text)
        .join("\n");
      if (!prompt) return;
      const text = await hook("chat.message", { sessionID: input.sessionID, directory, prompt });
      if (text) output.parts.push(part(input.sessionID, output.message.id, text));
    },
    "tool.execute.after": async (input, output) => {
      if (input.tool !== "bash" || !output.metadata?.exit) return;
      const text = await hook("tool.execute.after", { sessionID: input.sessionID, directory, error: output.output, tool_input: input.args });
      if (text) output.output += `\n${text}`;
    },
    event: async ({ event }) => {
      const sessionID = event.properties?.sessionID ?? event.properties?.info?.id;
      if (["session.created", "session.compacted", "session.idle"].includes(event.type)) {
        await hook(event.type, { sessionID, directory });
      }
    },
  };
};
