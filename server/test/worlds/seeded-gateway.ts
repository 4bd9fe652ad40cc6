// An adapter between an engine whose ids are of chance and a dialect whose faults are drawn by
// them: the same seed gives the same ids on the wire, so that it tells the same story again.

import { createHash } from 'node:crypto'
import type { AttemptKey, CallbackReading, Gateway } from '../../src/gateways/gateway.ts'
import { idFromHash } from '../../src/platform/ids.ts'
import type { Line } from './turns.ts'

/** By our key in the database: what is on the wire in its place. */
export type Names = Readonly<{
  of(our_key: string): Readonly<{ our_key: string; attempt_id: string }>
  /** Our key again; what is no name of ours stays as it is. */
  back(on_the_wire: string): string
}>

/** Names are given in the order in which they are asked for; `now`: unix milliseconds. */
export function namesBy(seed: string, now: () => number): Names {
  const given = new Map<string, Readonly<{ our_key: string; attempt_id: string }>>()
  const keys = new Map<string, string>()
  return {
    of(our_key) {
      const known = given.get(our_key)
      if (known !== undefined) return known
      const hash = createHash('sha256').update(`${seed} ${given.size}`).digest()
      const hex = hash.toString('hex')
      const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
      const named = {
        our_key: [...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-'),
        // Its time is told from it, by the clock that everybody has here.
        attempt_id: idFromHash(now(), hash),
      }
      given.set(our_key, named)
      keys.set(named.our_key, our_key)
      return named
    },
    back: (on_the_wire) => keys.get(on_the_wire) ?? on_the_wire,
  }
}

/** A refund names what it gives back, too. */
type Told = AttemptKey & Readonly<{ of?: AttemptKey }>

/** What an answer is about; `silent_s`: for how long nothing was answered. */
type About = Pick<AttemptKey, 'our_key' | 'amount' | 'currency'> & Readonly<{ silent_s: number }>

/** What a planted adapter makes of an answer. */
export type AnswerPlant = (verb: string, reply: Reply, of: About) => Reply

type Reply = Readonly<{ answer: { is: string; because?: string; failure_code?: string } }>

const verbs = new Set(['prepare', 'collect', 'pay', 'refund', 'query', 'askRefund', 'cancel'])

export type Seeded = Readonly<{
  names: Names
  line: Line
  plant?: AnswerPlant | undefined
  silent_s: () => number
}>

/** Each call is two steps, the way there and the way back with its answer. */
export function seededGateway(gateway: Gateway, { names, line, plant, silent_s }: Seeded): Gateway {
  return new Proxy(gateway, {
    get(target, name) {
      const verb: unknown = Reflect.get(target, name)
      if (typeof verb !== 'function') return verb
      if (name === 'readCallback') {
        return (...given: unknown[]): CallbackReading => {
          const reading = Reflect.apply(verb, target, given) as CallbackReading
          return { ...reading, key: names.back(reading.key) }
        }
      }
      const what = String(name)
      if (!verbs.has(what)) return verb
      return async (attempt: Told, ...given: unknown[]) => {
        const { of } = attempt
        const named = {
          ...{ ...attempt, ...names.of(attempt.our_key) },
          ...(of === undefined ? {} : { of: { ...of, ...names.of(of.our_key) } }),
        }
        const there = () => Reflect.apply(verb, target, [named, ...given]) as Promise<Reply>
        const reply = await line.step(() => `→ ${what}`, there)
        const about = { ...named, silent_s: silent_s() }
        const answer = plant === undefined ? reply : plant(what, reply, about)
        return line.step(
          () => `← ${what} ${formatAnswer(answer)}`,
          () => answer,
        )
      }
    },
  })
}

const formatAnswer = ({ answer: { is, because, failure_code } }: Reply): string =>
  [is, because ?? failure_code].filter(Boolean).join(': ')
