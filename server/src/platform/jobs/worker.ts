// The one mechanism for due work. Each job has a loop of its own, so that a slow one delays no
// other; it runs when woken and, because a wake-up can be missed, at every poll time. What is due,
// and which process does it, is decided by the rows themselves: nothing here is a second truth.

import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Db } from '../db.ts'
import { this_process } from './leases.ts'
import { readName, type Waker } from './notify.ts'
import { deleteHeartbeat, hasHeartbeatWithin, saveHeartbeat } from './store.ts'
import type { OnFault } from './troubles.ts'

export type JobContext = Readonly<{
  /** Aborted when the worker stops: begin nothing new. */
  signal: AbortSignal
  /** What it was woken about since the last run (`nameAbout`); wake-ups can be missed. */
  subjects?: readonly string[]
  /** Shown what one of many things failed at, where the run goes on (`Troubles`). */
  onFault?: OnFault
}>

export type Job = Readonly<{
  name: string
  /**
   * The longest rest between two runs. Milliseconds. By itself 250 after work or a wake-up, and
   * twice as long after each look that nobody asked for, up to 1,000.
   */
  poll_ms?: number
  /** One portion of work. `more`: run again at once, because the portion was full. */
  run(context: JobContext): Promise<'more' | 'rest'>
  /** After the last run: waits for what `run` has left unfinished. */
  finish?(): Promise<void>
}>

export type Worker = Readonly<{
  /**
   * Runs the job of this name as soon as it rests, about a subject where the name has one; unknown
   * names are ignored.
   */
  wake(name: string): void
  /** Begins the loop of a job that was not there at the start; nothing once it stops. */
  add(job: Job): void
  /** Ends the loops. Names the jobs that were still at work after `within_ms`. */
  stop(within_ms: number): Promise<{ unfinished: string[] }>
}>

export type WorkerDeps = Readonly<{
  /** For the heartbeat; its commits need not be durable. */
  db: Db
  jobs: readonly Job[]
  log: Logger
  /** The process's wake-ups, when verbs send any. */
  wake?: Waker
  /** Counts each run that failed, and each thing that a run went on without. */
  countFault?: (job: string) => void
}>

const poll_first_ms = 250
const poll_idle_ms = 1_000
const heartbeat_ms = 2_000
const alive_within_s = 10
const backoff_first_ms = 500
const backoff_max_ms = 30_000
/** Of one job, while it is at work: what is beyond is found by the job's own look. */
const subjects_max = 5_000

export function startWorker({ db, jobs, log, wake, countFault }: WorkerDeps): Worker {
  const ending = new AbortController()
  // One listener a job, and we decide how many there are.
  setMaxListeners(0, ending.signal)
  const report: Report = (job, err, about) => {
    countFault?.(job)
    if (about === undefined) log.error({ err, job }, 'job failed; it will be run again')
    else log.error({ err, job, about }, 'job went on without one; it will be tried again')
  }
  const loopOf = (job: Job) => new JobLoop(job, report, ending.signal)
  const loops = new Map(jobs.map((job) => [job.name, loopOf(job)]))
  const wakeUp = (name: string) => {
    const { job, subject } = readName(name)
    loops.get(job)?.wake(subject)
  }
  const unlisten = wake?.onWake(wakeUp)
  const ended = [...loops.values()].map((loop) => loop.run())
  const heartbeats = sendHeartbeats(db, log, ending.signal)
  return {
    wake: wakeUp,
    add(job) {
      if (ending.signal.aborted || loops.has(job.name)) return
      const loop = loopOf(job)
      loops.set(job.name, loop)
      ended.push(loop.run())
    },
    async stop(within_ms) {
      unlisten?.()
      ending.abort()
      const late = pause(within_ms)
      await Promise.race([Promise.all([...ended, heartbeats]), late.over])
      late.end()
      const unfinished = [...loops.values()].filter((loop) => !loop.has_ended)
      return { unfinished: unfinished.map((loop) => loop.name) }
    },
  }
}

/** Whether any worker on this database has given a heartbeat within 10 s. For `/readyz`. */
export function workerIsAlive(db: Db): Promise<boolean> {
  return hasHeartbeatWithin(db, alive_within_s)
}

/** What a job failed at: at a run, or about one of many things. */
type Report = (job: string, err: unknown, about?: string) => void

/** One job's endless loop. It ends only with the signal. */
class JobLoop {
  readonly name: string
  has_ended = false
  readonly #job: Job
  readonly #report: Report
  readonly #signal: AbortSignal
  readonly #subjects = new Set<string>()
  #is_woken = false
  #stir: () => void = () => undefined

  constructor(job: Job, report: Report, signal: AbortSignal) {
    this.name = job.name
    this.#job = job
    this.#report = report
    this.#signal = signal
  }

  wake(subject?: string) {
    this.#is_woken = true
    if (subject !== undefined && this.#subjects.size < subjects_max) this.#subjects.add(subject)
    this.#stir()
  }

  async run(): Promise<void> {
    let failures = 0
    let idle_looks = 0
    while (!this.#signal.aborted) {
      // Cleared before the run, so that a wake-up during the run causes another one.
      this.#is_woken = false
      const answer = await this.#runOnce()
      failures = answer === 'failed' ? failures + 1 : 0
      if (answer === 'failed') await this.#rest(backoff(failures), { wakeable: false })
      else if (answer === 'rest' && !this.#is_woken) {
        const rest_ms = this.#job.poll_ms ?? restAfter(idle_looks)
        await this.#rest(rest_ms, { wakeable: true })
      }
      idle_looks = answer === 'rest' && !this.#is_woken ? idle_looks + 1 : 0
    }
    await this.#finish()
    this.has_ended = true
  }

  async #runOnce(): Promise<'more' | 'rest' | 'failed'> {
    const subjects = [...this.#subjects]
    this.#subjects.clear()
    try {
      const onFault: OnFault = (about, err) => this.#report(this.name, err, about)
      return await this.#job.run({ signal: this.#signal, subjects, onFault })
    } catch (error) {
      this.#report(this.name, error)
      return 'failed'
    }
  }

  async #finish() {
    try {
      await this.#job.finish?.()
    } catch (error) {
      this.#report(this.name, error, 'its end')
    }
  }

  /** A failing job is not woken out of its backoff: what wakes it may be what fails. */
  async #rest(ms: number, { wakeable }: { wakeable: boolean }) {
    const rest = pause(ms, this.#signal)
    if (wakeable) this.#stir = rest.end
    await rest.over
    this.#stir = () => undefined
  }
}

const restAfter = (idle_looks: number) =>
  Math.min(poll_idle_ms, poll_first_ms * 2 ** Math.min(idle_looks, 10))

const backoff = (failures: number) =>
  Math.min(backoff_max_ms, backoff_first_ms * 2 ** Math.min(failures - 1, 10))

/** A rest that ends by itself, by `end`, or with the signal. */
function pause(ms: number, signal?: AbortSignal): { over: Promise<void>; end: () => void } {
  let end: () => void = () => undefined
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(() => end(), ms)
    end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
  return { over, end }
}

async function sendHeartbeats(db: Db, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const saved = saveHeartbeat(db, this_process)
    await saved.catch((error: unknown) => log.warn({ err: error }, 'heartbeat not written'))
    await pause(heartbeat_ms, signal).over
  }
  const deleted = deleteHeartbeat(db, this_process)
  await deleted.catch((error: unknown) => log.warn({ err: error }, 'heartbeat not taken back'))
}
