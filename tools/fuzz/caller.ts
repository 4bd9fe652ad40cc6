// Sends bytes and takes what comes back, as they are. Calls share a connection for as long as both
// keep it; a request that may spoil what follows gets one of its own, read to its end.

import { connect, type Socket } from 'node:net'
import { type Answer, readAnswer } from './answer.ts'
import type { Sent } from './request.ts'

export type Outcome = Readonly<{
  answers: readonly Answer[]
  /** What was wrong with the exchange itself. */
  fault: string | undefined
  /** We closed our half first, since nothing came: the message was perhaps not whole. */
  hung_up: boolean
  took_ms: number
}>

export type Target = Readonly<{ host: string; port: number; give_up_ms: number }>

/** A message that is not whole waits for its rest: after so long we hang up. */
const patience_ms = 400
const quiet_ms = 20

type RawCall = Sent & Readonly<{ bodiless: boolean }>

/** One caller makes one call at a time. */
export class Caller {
  readonly #target: Target
  #kept: Socket | undefined

  constructor(target: Target) {
    this.#target = target
  }

  async call(call: RawCall): Promise<Outcome> {
    const kept = call.alone ? undefined : this.#takeKept()
    const outcome = await this.#exchange(call, kept ?? this.#open())
    // The server may close an idle connection at the very moment we use it: that is no answer yet.
    const was_idle = kept !== undefined && outcome.answers.length === 0 && outcome.took_ms < 1_000
    return was_idle ? this.#exchange(call, this.#open()) : outcome
  }

  close(): void {
    this.#kept?.destroy()
  }

  #open(): Socket {
    const socket = connect({ ...this.#target, noDelay: true, allowHalfOpen: true })
    socket.on('error', () => undefined) // Said by `close`, which always follows.
    return socket
  }

  #takeKept(): Socket | undefined {
    const kept = this.#kept
    this.#kept = undefined
    return kept?.writable === true && !kept.readableEnded ? kept : undefined
  }

  #exchange({ bytes, alone, whole, bodiless }: RawCall, socket: Socket): Promise<Outcome> {
    const began_ms = performance.now()
    let come: Buffer = Buffer.alloc(0)
    let hung_up = false
    const timers: NodeJS.Timeout[] = []
    return new Promise((resolve) => {
      const end = (answers: readonly Answer[], fault?: string, keep = false) => {
        for (const timer of timers) clearTimeout(timer)
        socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
        if (keep) this.#kept = socket
        else socket.destroy()
        resolve({ answers, fault, hung_up, took_ms: performance.now() - began_ms })
      }
      const look = (ended: boolean) => {
        const read = readAll(come, { ended, bodiless, first_only: !alone })
        if (read.fault !== undefined || ended) end(read.answers, read.fault)
        else if (read.answers.length === 0) return
        else if (!alone) end(read.answers, undefined, read.keeps)
        // What follows an answer unasked follows it closely.
        else if (read.is_whole) timers.push(setTimeout(look, quiet_ms, true))
      }
      timers.push(
        setTimeout(() => {
          const { answers } = readAll(come, { ended: false, bodiless, first_only: false })
          end(answers, `still open after ${this.#target.give_up_ms} ms`)
        }, this.#target.give_up_ms),
      )
      socket.on('data', (chunk: Buffer) => {
        come = come.length === 0 ? chunk : Buffer.concat([come, chunk])
        look(false)
      })
      socket.on('end', () => look(true))
      socket.on('close', () => look(true))
      socket.write(bytes)
      const hangUp = () => {
        const { answers } = readAll(come, { ended: false, bodiless, first_only: true })
        hung_up = answers.length === 0
        if (hung_up) socket.end()
      }
      if (!whole) timers.push(setTimeout(hangUp, patience_ms))
    })
  }
}

type How = { ended: boolean; bodiless: boolean; first_only: boolean }

function readAll(bytes: Buffer, how: How) {
  const answers: Answer[] = []
  let rest = bytes
  let keeps = true
  while (rest.length > 0) {
    const read = readAnswer(rest, how)
    if (read.is === 'broken') return { answers, fault: read.why, keeps: false, is_whole: false }
    if (read.is === 'incomplete') {
      const fault = how.ended ? 'an answer cut off' : undefined
      return { answers, fault, keeps: false, is_whole: false }
    }
    answers.push(read.answer)
    rest = read.rest
    keeps = !read.ends && rest.length === 0
    // A refusal of broken HTTP carries its body even where a HEAD was asked.
    if (how.first_only || how.bodiless) break
  }
  return { answers, fault: undefined, keeps, is_whole: true }
}
