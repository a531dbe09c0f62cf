/**
 * The seconds of the stages of a run, by name; a stage that is timed again adds up. Stages that an interrupted run had
 * finished are added with the seconds they took then.
 */

export class StageClock {
  readonly #start = performance.now();
  readonly #seconds = new Map<string, number>();

  /** Seconds of the whole run: since the clock was made, or all stages, which is more if the run was resumed. */
  get elapsed(): number {
    const stages = [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
    return Math.max((performance.now() - this.#start) / 1000, stages);
  }

  add(stage: string, seconds: number): void {
    this.#seconds.set(stage, (this.#seconds.get(stage) ?? 0) + seconds);
  }

  /** Do the work and add the time it took. */
  async time<T>(stage: string, work: () => T | Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await work();
    this.add(stage, (performance.now() - start) / 1000);
    return result;
  }

  seconds(): Record<string, number> {
    return Object.fromEntries(this.#seconds);
  }
}
