// What was started is ended, the last first, whatever happens in between: by a test, by a tool, by
// Ctrl-C.

import type { ChildProcess } from 'node:child_process'

const patience_ms = 20_000

type Closable = Readonly<{ close(): unknown }>

export type Ends = Readonly<{
  add(end: () => unknown): void
  /** Waits for what is being opened; it is closed with the rest. */
  keep<T extends Closable>(opening: Promise<T>): Promise<T>
  /** Ends everything, also when one of them cannot be ended: then it throws what that one threw. */
  all(): Promise<void>
}>

export function createEnds(): Ends {
  const ends: (() => unknown)[] = []
  return {
    add: (end) => void ends.push(end),
    async keep(opening) {
      const opened = await opening
      ends.push(() => opened.close())
      return opened
    },
    async all() {
      const errors: unknown[] = []
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end()
        } catch (error) {
          errors.push(error)
        }
      }
      if (errors.length > 0) throw errors[0]
    },
  }
}

/** Asks a process of ours to end, and ends it when it does not. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const late = setTimeout(() => child.kill('SIGKILL'), patience_ms)
  await exited
  clearTimeout(late)
}
