// Several processes, each with its own PostgreSQL, its own seeds and its share of the worlds. The
// first that finds something stops the others.

import { type ChildProcess, fork } from 'node:child_process'
import { playShare } from './play-share.ts'

type Assignment = Readonly<{ count: number; seed: number; path: string | undefined; lanes: number }>
type Message = Readonly<{ played: number } | { wrong: string }>

/** Far beyond the seeds of any share's batches and lanes. */
const seedsOfShare = 1_000_000
const reportEveryMs = 250

export type Several = Assignment &
  Readonly<{ processes: number; played: (worlds: number) => void; halted: () => boolean }>

/** What was found, by whichever process. */
export async function playSeveral(several: Several): Promise<string[]> {
  const { processes, count, seed, path, lanes, played } = several
  const children = Array.from({ length: processes }, () => fork(import.meta.filename))
  const found: string[] = []
  const stopAll = () => {
    // One that has ended meanwhile need not be stopped.
    for (const child of children) if (child.connected) child.send({ stop: true }, () => undefined)
  }
  const ends = children.map((child, at) => {
    const share = Math.ceil((count - at) / processes)
    const assignment: Assignment = { count: share, seed: seed + at * seedsOfShare, path, lanes }
    child.send(assignment)
    child.on('message', (message: Message) => {
      if ('played' in message) return played(message.played)
      found.push(message.wrong)
      stopAll()
    })
    return ended(child)
  })
  const codes = await Promise.all(ends)
  const died = codes.filter((code) => code !== 0).length
  return died === 0 ? found : [...found, `${died} of ${processes} processes failed`]
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.once('exit', resolve)
  })

/** In a process of its own: plays its assignment, and reports its progress. */
async function playAssignment(assignment: Assignment, halted: () => boolean): Promise<void> {
  let unsaid = 0
  const send = (message: Message) =>
    new Promise<void>((resolve) => {
      process.send?.(message, undefined, undefined, () => resolve())
    })
  const report = () => {
    if (unsaid > 0) void send({ played: unsaid })
    unsaid = 0
  }
  const timer = setInterval(report, reportEveryMs)
  const tick = () => {
    unsaid += 1
  }
  try {
    const wrong = await playShare({ ...assignment, tick, halted })
    report()
    if (wrong !== undefined) await send({ wrong })
  } finally {
    clearInterval(timer)
    process.disconnect()
  }
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) {
  let halted = false
  process.on('SIGINT', () => {
    halted = true
  })
  process.on('message', (message: Assignment | { stop: true }) => {
    if ('stop' in message) halted = true
    else void playAssignment(message, () => halted)
  })
}
