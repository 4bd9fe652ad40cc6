// A process of the app as the chaos sees it: it is killed or put to sleep, and a dead one is
// started again at once, as a supervisor does it.

import { setTimeout as sleep } from 'node:timers/promises'

export type State = 'starting' | 'up' | 'asleep' | 'over'

export type Member = Readonly<{
  name: string
  state(): State
  /** Undefined while there is none. */
  pid(): number | undefined
  /** SIGKILL. `rests`: it is not started again until `rise`. */
  kill(after: 'rises' | 'rests'): void
  rise(): void
  /** SIGSTOP for so long, then SIGCONT; does nothing unless it is up. */
  sleep(ms: number): void
  /** SIGCONT before its time. */
  wake(): void
  /** For good. */
  end(): Promise<void>
  /** When and how it ended by itself after it had been up, which nobody asked for. */
  unasked(): readonly Unasked[]
}>

export type Unasked = Readonly<{ at_ms: number; how: string }>

const looks_every_ms = 20

/** Waits until all of them are up; throws with the names of those that are not. */
export async function untilUp(members: readonly Member[], within_ms: number): Promise<void> {
  const until = Date.now() + within_ms
  for (;;) {
    const down = members.filter((member) => member.state() !== 'up')
    if (down.length === 0) return
    if (Date.now() > until) {
      const states = down.map((member) => `${member.name} is ${member.state()}`)
      throw new Error(`after ${within_ms} ms: ${states.join(', ')}`)
    }
    await sleep(looks_every_ms)
  }
}

/** A signal to a process that may have ended by itself. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(pid, name)
  } catch {
    // It is gone, which every signal of ours may find.
  }
}
