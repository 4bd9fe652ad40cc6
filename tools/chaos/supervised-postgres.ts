// The app's PostgreSQL, kept alive. Killed means the postmaster: its orphans must be gone before
// the data can be served again, which the server itself requires and we wait for.

import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../server/src/platform/embedded/postmaster.ts'
import { type Embedded, startEmbedded } from '../../server/src/platform/embedded/start-embedded.ts'
import { commandOf, familyOf } from '../../server/test/setup/process-tree.ts'
import { layReadyCluster } from '../../server/test/setup/ready-cluster.ts'
import { type Member, type State, signal, type Unasked } from './member.ts'

export type SupervisedPostgres = Member &
  Readonly<{
    /** Where clients connect; the same after each start. */
    host: string
    port: number
    user: string
    directory: string
    /** SIGKILL to one connection's process, which PostgreSQL takes for a crash of all. */
    killBackend(chance: number): boolean
  }>

/** Four processes of the service have some 27 connections each, and the killed ones' linger. */
const settings = { max_connections: '300' }
const starts_within_ms = 60_000
const pause_ms = 100
const looks_every_ms = 500

export async function supervisePostgres(dir: string): Promise<SupervisedPostgres> {
  await layReadyCluster(dir)
  const first = await startEmbedded({ dir, settings })
  const member = new PostgresMember(first, dir)
  const { host, port, user, directory } = first
  return Object.assign(member, { host, port, user, directory })
}

class PostgresMember implements Member {
  readonly name = 'postgres'
  readonly #dir: string
  #state: State = 'up'
  #server: Embedded
  #starting: Promise<void> | undefined
  #rests = false
  #waking: NodeJS.Timeout | undefined
  readonly #unasked: Unasked[] = []
  readonly #looking: NodeJS.Timeout

  constructor(server: Embedded, dir: string) {
    this.#server = server
    this.#dir = dir
    this.#looking = setInterval(() => this.#look(), looks_every_ms)
    this.#looking.unref()
  }

  /** One that ended without a strike is raised like any other: nobody else would. */
  #look() {
    const pid = this.pid()
    if (this.#state !== 'up' || pid === undefined || isAlive(pid)) return
    this.#unasked.push({ at_ms: Date.now(), how: `process ${pid} is gone` })
    this.#state = 'starting'
    this.rise()
  }

  state() {
    return this.#state
  }

  pid() {
    return this.#server.pid
  }

  unasked() {
    return this.#unasked
  }

  kill(after: 'rises' | 'rests') {
    this.#rests = after === 'rests'
    if (this.#state !== 'up' && this.#state !== 'asleep') return
    this.#state = 'starting'
    clearTimeout(this.#waking)
    signal(this.pid(), 'SIGKILL')
    if (!this.#rests) this.rise()
  }

  killBackend(chance: number): boolean {
    const pid = this.pid()
    if (pid === undefined || this.#state !== 'up') return false
    const ours = familyOf(pid).filter((one) => /\[local\]/.test(commandOf(one)))
    const victim = ours[Math.floor(chance * ours.length)]
    signal(victim, 'SIGKILL')
    return victim !== undefined
  }

  rise() {
    this.#rests = false
    if (this.#state !== 'starting') return
    this.#starting ??= this.#startAgain().finally(() => {
      this.#starting = undefined
    })
  }

  async #startAgain(): Promise<void> {
    const until = Date.now() + starts_within_ms
    while (this.#state === 'starting') {
      try {
        this.#server = await startEmbedded({ dir: this.#dir, settings })
        if (this.#state === 'starting') this.#state = 'up'
      } catch (error) {
        if (Date.now() > until) return this.#giveUp(error)
        await sleep(pause_ms)
      }
    }
  }

  #giveUp(error: unknown) {
    console.error('PostgreSQL does not start again:', error)
  }

  sleep(ms: number) {
    if (this.#state !== 'up') return
    this.#state = 'asleep'
    signal(this.pid(), 'SIGSTOP')
    this.#waking = setTimeout(() => this.wake(), ms)
  }

  wake() {
    if (this.#state !== 'asleep') return
    clearTimeout(this.#waking)
    this.#state = 'up'
    signal(this.pid(), 'SIGCONT')
  }

  async end() {
    this.wake()
    this.#state = 'over'
    clearInterval(this.#looking)
    await this.#starting
    await this.#server.stop()
  }
}
