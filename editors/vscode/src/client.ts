/** The language client, as a person meets it: what goes wrong in it is in the output, and told once. */
import { LanguageClient, CloseAction, type ErrorHandler, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

export class Client extends LanguageClient {
  /**
   * @param onGivenUp called when the program has ended so often that it is not started again
   */
  constructor(server: ServerOptions, options: LanguageClientOptions, onGivenUp: () => void) {
    let usual: ErrorHandler | undefined;
    const handler = (): ErrorHandler => (usual ??= this.createDefaultErrorHandler());
    super("contexture", "Contexture", server, {
      ...options,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: (...given) => handler().error(...given),
        closed: async () => {
          const result = await handler().closed();
          if (result.action === CloseAction.DoNotRestart) onGivenUp();
          return { ...result, handled: true };
        },
      },
    });
  }

  /** Each step of a failed start would show a message of its own, in the words of the protocol. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}
