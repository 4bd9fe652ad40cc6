// What was started is ended, the last first, whatever happens in between: also by Ctrl-C.

import type { ChildProcess } from 'node:child_process'

const patience_ms = 20_000

export type Ends = Readonly<{
  add(end: () => Promise<unknown>): void
  all(): Promise<void>
}>

export function createEnds(): Ends {
  const ends: (() => Promise<unknown>)[] = []
  return {
    add: (end) => void ends.push(end),
    async all() {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        await end().catch((error: unknown) => console.error('not ended well:', error))
      }
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
