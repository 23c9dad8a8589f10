/** How often something may happen. Nothing here knows of VS Code. */

export class Pace {
  private timer: NodeJS.Timeout | undefined;
  private last = Number.NEGATIVE_INFINITY;

  /**
   * @param run what happens
   * @param between the least time between two runs, in milliseconds
   * @param isBusy reports whether the last run still goes on: the next one then waits another `between`
   */
  constructor(
    private readonly run: () => void,
    private readonly between: number,
    private readonly isBusy: () => boolean = () => false,
  ) {}

  /** Asks for a run: soon, and once for all who ask until then. */
  ask(): void {
    if (this.timer) return;
    this.timer = setTimeout(() => { this.go(); }, Math.max(0, this.last + this.between - Date.now()));
  }

  private go(): void {
    this.timer = undefined;
    this.last = Date.now();
    if (this.isBusy()) this.ask();
    else this.run();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
