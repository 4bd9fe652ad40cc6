// Wakes the other processes: one NOTIFY for all wake-ups within 25 ms, on connections of its own,
// never inside a business transaction (money 4). Polling stays the truth, so a lost notice or a
// lost connection costs only the poll time.

import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Db } from '../db.ts'

export type Wakeups = Readonly<{
  /** Wakes `name` (`nameAbout`, too) in every other process; returns at once. */
  wakeOthers(name: string): void
  /** Ends the connections; wake-ups of a moment ago are still sent. */
  stop(): Promise<void>
}>

export type WakeupDeps = Readonly<{
  /** A `Db` of its own with `connections_max: 1`; ended by `stop`. */
  db: Db
  onWake: (name: string) => void
  log: Logger
}>

const channel = 'pirogue_wake'
const coalesced_ms = 25
/** A notice holds 8000 bytes; a name and its subject some 60. What is more goes with the next. */
const names_max = 100

/** The name by which a job is woken that is to look at this one thing. Without a space. */
export const nameAbout = (job: string, subject: string): string => `${job}/${subject}`

/** The job of such a name, and what it is to look at. */
export function readName(name: string): Readonly<{ job: string; subject: string | undefined }> {
  const end = name.indexOf('/')
  if (end < 0) return { job: name, subject: undefined }
  return { job: name.slice(0, end), subject: name.slice(end + 1) }
}

export async function startWakeups({ db, onWake, log }: WakeupDeps): Promise<Wakeups> {
  const us = randomUUID()
  const waking = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()

  const listening = db.listen(channel, (text) => {
    const [from, ...names] = text.split(' ')
    if (from !== us) for (const name of names) onWake(name)
  })
  await listening.catch((error: unknown) => log.warn({ err: error }, 'no wake-ups from others'))

  const send = () => {
    timer = undefined
    const names = [...waking].slice(0, names_max)
    for (const name of names) waking.delete(name)
    if (names.length === 0) return
    if (waking.size > 0) timer = setTimeout(send, coalesced_ms)
    sending = db.notify(channel, [us, ...names].join(' ')).catch((error: unknown) => {
      log.warn({ err: error }, 'others were not woken')
    })
  }

  return {
    wakeOthers(name) {
      waking.add(name)
      timer ??= setTimeout(send, coalesced_ms)
    },
    async stop() {
      clearTimeout(timer)
      send()
      await sending
      await db.end({ timeout: 1 })
    },
  }
}

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
