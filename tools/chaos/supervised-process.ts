// A Node process that is kept alive: whatever kills it, it is started again with the same
// environment, so on the same port.

import type { ChildProcess } from 'node:child_process'
import { type Member, type State, signal, type Unasked } from './member.ts'

export type ProcessSpec = Readonly<{
  name: string
  launch(): ChildProcess
  /** What it prints when everything of it is ready. */
  ready: RegExp
}>

/**
 * After an end that nobody asked for, and after a start that failed (its database was dead): twice
 * as long each time, as supervisors do. Four that start at once, again and again, leave a database
 * no time to recover.
 */
const pause_ms = { first: 150, most: 5_000 } as const

export function superviseProcess(spec: ProcessSpec): Member {
  const member = new ProcessMember(spec)
  member.rise()
  return member
}

class ProcessMember implements Member {
  readonly name: string
  readonly #keeping: ProcessSpec
  readonly #unasked: Unasked[] = []
  #state: State = 'starting'
  #child: ChildProcess | undefined
  #is_killed = false
  #rests = false
  #pause_ms: number = pause_ms.first
  #waking: NodeJS.Timeout | undefined

  constructor(spec: ProcessSpec) {
    this.name = spec.name
    this.#keeping = spec
  }

  state() {
    return this.#state
  }

  pid() {
    return this.#child?.pid
  }

  unasked() {
    return this.#unasked
  }

  rise() {
    this.#rests = false
    if (this.#state === 'over' || this.#child !== undefined) return
    const child = this.#keeping.launch()
    this.#child = child
    this.#state = 'starting'
    this.#is_killed = false
    let output = ''
    child.stdout?.on('data', (chunk) => {
      if (this.#state !== 'starting') return
      output += chunk
      if (!this.#keeping.ready.test(output)) return
      this.#state = 'up'
      this.#pause_ms = pause_ms.first
    })
    // It ended before it read: `exit` tells it.
    child.stdin?.on('error', () => undefined)
    child.once('exit', (code, name) => this.#ended(code ?? name))
  }

  #ended(how: number | string | null) {
    this.#child = undefined
    clearTimeout(this.#waking)
    if (this.#state === 'over') return
    const was_up = this.#state !== 'starting'
    this.#state = 'starting'
    if (was_up && !this.#is_killed) this.#unasked.push({ at_ms: Date.now(), how: String(how) })
    if (this.#rests) return
    if (this.#is_killed) this.rise()
    else {
      setTimeout(() => this.#rests || this.rise(), this.#pause_ms)
      this.#pause_ms = Math.min(2 * this.#pause_ms, pause_ms.most)
    }
  }

  kill(after: 'rises' | 'rests') {
    this.#is_killed = true
    this.#rests = after === 'rests'
    if (this.#state !== 'over') this.#state = 'starting'
    signal(this.pid(), 'SIGKILL')
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
    this.#state = 'over'
    clearTimeout(this.#waking)
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }
}
