/** Waits until a check gives a value; fails with what was waited for. */
export async function until<T>(what: string, check: () => T | undefined | Thenable<T | undefined>): Promise<T> {
  for (let i = 0; i < 300; i++) {
    const value = await check();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never: ${what}`);
}
