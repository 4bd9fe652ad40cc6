// Which endpoints were slow to answer lately, as far as this process has seen. Each holds its place
// for as long as it takes to answer, so they share the places of those that fail: however many
// there are, and whatever they answer, the others find one.

/** For so long after its last slow answer. */
const kept_ms = 600_000
/** Beyond so many the oldest is let go. */
const most = 10_000

export class SlowEndpoints {
  readonly #until = new Map<string, number>()

  /** By each of its answers. `now_ms`: of this process's own clock. */
  note(webhook_id: string, is_slow: boolean, now_ms = performance.now()): void {
    // Behind the others: the first is the oldest.
    this.#until.delete(webhook_id)
    if (!is_slow) return
    this.#until.set(webhook_id, now_ms + kept_ms)
    const [oldest] = this.#until.keys()
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest)
  }

  ids(now_ms = performance.now()): string[] {
    for (const [webhook_id, until_ms] of this.#until) {
      if (until_ms > now_ms) break
      this.#until.delete(webhook_id)
    }
    return [...this.#until.keys()]
  }
}
