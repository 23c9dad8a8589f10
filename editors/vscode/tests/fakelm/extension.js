// A language model which tells what it was sent: how often it was asked, and the lines that tests look for.
const vscode = require("vscode");

const model = {
  id: "fake-echo", name: "Fake Echo", family: "fake", version: "1", maxInputTokens: 100_000, maxOutputTokens: 10_000,
  isUserSelectable: true, isDefault: true, capabilities: { toolCalling: true, imageInput: false },
};

exports.activate = (context) => {
  let asked = 0;
  const words = (message) => message.content.map((part) => part.value ?? "").join("");
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("fakelm", {
      provideLanguageModelChatInformation: () => [model],
      provideLanguageModelChatResponse: (_model, messages, _options, progress) => {
        const sent = messages.map(words).join("\n");
        const lines = sent.split("\n").filter((line) => /^func |<ctx-\w+/.test(line));
        const earlier = (sent.match(/Echo \d+/g) ?? []).join(", ");
        for (const part of [`Echo ${++asked} of ${messages.length} message. `, `Sent before: ${earlier || "nothing"}.\n\n`, "```\n", lines.join("\n"), "\n```\n"]) {
          progress.report(new vscode.LanguageModelTextPart(part));
        }
        return Promise.resolve();
      },
      provideTokenCount: (_model, text) => Promise.resolve(Math.ceil((typeof text === "string" ? text : words(text)).length / 4)),
    }),
  );
  // Models are found when somebody asks for them: from then on the chat offers this one.
  setTimeout(() => void vscode.lm.selectChatModels({ vendor: "fakelm" }), 500);
};
