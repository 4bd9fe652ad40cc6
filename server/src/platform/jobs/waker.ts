// Wake-ups inside one process: a verb sends one after its commit, to the worker's loop. Nothing is
// kept: a loop that is not listening at that moment finds the work at its poll time.

export type Waker = Readonly<{
  wake(name: string): void
  /** Returns a function that ends the subscription. */
  onWake(listener: (name: string) => void): () => void
}>

export function createWaker(): Waker {
  const listeners = new Set<(name: string) => void>()
  return {
    wake(name) {
      for (const listener of listeners) listener(name)
    },
    onWake(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
