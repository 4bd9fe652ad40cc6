// Load: so many new payments a second, each followed to its end by a merchant that repeats its
// calls, verifies, passes codes on, tries failed payments again, and gives some back.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../fuzz/random.ts'
import { type Answer, type Call, type Caller, codeOf, paymentIn } from './caller.ts'
import { giveBack } from './give-back.ts'
import { payeeOf, payerOf, right_code } from './payers.ts'
import { type Keyed, newSent, note, type Sent, statusIn } from './sent.ts'
import type { Shop } from './shops.ts'

export type Load = Readonly<{
  sent: readonly Sent[]
  /** Payments whose merchant still calls. */
  open(): number
  /** Begins nothing new. */
  stop(): void
  /** Stops; resolves when every merchant has its answers, or has waited this long. */
  finish(within_ms: number): Promise<void>
}>

export type Loading = Readonly<{
  caller: Caller
  random: Random
  shops: readonly Shop[]
  per_s: number
  /** The number of its first payment: no two in a database are the same. */
  first_no: number
  /** Before each key of this load. */
  name: string
}>

/** The share of payouts in everything that is sent. */
const payouts_share = 0.2

/** The share of paid payments that are given back. */
const refunds_share = 0.4
/** How often a merchant looks for the success of what it wants to give back, a second apart. */
const refund_looks = 6

/** When the app gets nothing done, the load does not grow further. */
const open_max = 150

export function startLoad(loading: Loading): Load {
  const load = new Merchants(loading)
  load.begin()
  return load
}

class Merchants implements Load {
  readonly sent: Sent[] = []
  readonly #loading: Loading
  readonly #work = new Set<Promise<void>>()
  #clock: NodeJS.Timeout | undefined
  #is_over = false

  constructor(loading: Loading) {
    this.#loading = loading
  }

  begin() {
    const from_ms = Date.now()
    let left_out = 0
    // By the clock, not by the tick: a busy machine loses ticks.
    this.#clock = setInterval(() => {
      const due = ((Date.now() - from_ms) * this.#loading.per_s) / 1000
      while (this.sent.length + left_out < due) {
        if (this.#work.size < open_max) this.#beginOne()
        else left_out += 1
      }
    }, 1000 / this.#loading.per_s)
  }

  open() {
    return this.#work.size
  }

  stop() {
    clearInterval(this.#clock)
  }

  async finish(within_ms: number) {
    this.stop()
    const done = Promise.all(this.#work)
    const late = new AbortController()
    await Promise.race([done, sleep(within_ms, undefined, { signal: late.signal })])
    late.abort()
    this.#is_over = true
    await Promise.all(this.#work)
  }

  #beginOne() {
    const { random, shops, name, first_no } = this.#loading
    const no = first_no + this.sent.length
    const shop = random.pick(shops)
    const amount = String(500 + (no % 5_000))
    const payer = random.chance(payouts_share) ? payeeOf(no, random) : payerOf(no, random)
    const sent = newSent(`${name}-${no}`, shop.merchant_id, amount, payer)
    this.sent.push(sent)
    const work: Promise<void> = this.#follow(shop, sent)
      .catch((error: unknown) => void sent.strange.push(String(error)))
      .finally(() => this.#work.delete(work))
    this.#work.add(work)
  }

  async #follow({ secret }: Shop, sent: Sent): Promise<void> {
    const { random } = this.#loading
    const first = await this.#initialize(secret, sent)
    if (first === undefined) return
    if (random.chance(0.3)) await this.#initialize(secret, sent)
    const id = paymentIn(first)
    if (sent.payer.gives_code) await this.#giveCode(secret, sent, id)
    else await sleep(random.below(3_000))
    if (random.chance(0.5) || statusIn(first) === 'FAILED') await this.#look(secret, sent, id)
    if (random.chance(0.2)) await this.#initialize(secret, sent)
    if (!sent.payer.is_paid && random.chance(refunds_share)) await this.#giveBack(secret, sent, id)
  }

  async #giveBack(secret: string, sent: Sent, id: string): Promise<void> {
    for (let looks = 0; looks < refund_looks && !sent.was_success; looks += 1) {
      const seen = await this.#verify(secret, sent, id)
      if (seen === undefined || statusIn(seen) === 'FAILED') return
      if (!sent.was_success) await sleep(1_000)
    }
    if (!sent.was_success) return
    const { random } = this.#loading
    const call = (one: Call) => this.#insist(one)
    const onStrange = (what: string, answer: Answer) => strange(sent, what, answer)
    await giveBack({ random, secret, sent, id, call, onStrange })
  }

  async #initialize(secret: string, sent: Sent): Promise<Answer | undefined> {
    const { is_paid } = sent.payer
    const path = is_paid ? '/payouts/initialize/' : '/payments/softpay/initialize/'
    const idempotency_key = sent.key
    const body = is_paid ? payoutOf(sent) : bodyOf(sent)
    const answer = await this.#insist({ method: 'POST', path, secret, idempotency_key, body })
    if (answer === undefined) return undefined
    if (paymentIn(answer) === '') return strange(sent, 'initialize', answer)
    note(sent, answer)
    noteStatus(sent, answer)
    return answer
  }

  /** A code whose fate is not known is given again, under another key. */
  async #giveCode(secret: string, sent: Sent, id: string): Promise<void> {
    while (!this.#is_over) {
      const keyed: Keyed = { key: `${sent.key}-code-${sent.codes.length}`, answers: [] }
      sent.codes.push(keyed)
      const path = `/payments/${id}/confirm-otp/`
      const body = { otp: right_code }
      const call: Call = { method: 'POST', path, secret, idempotency_key: keyed.key, body }
      const answer = await this.#insist(call)
      if (answer === undefined) return
      noteStatus(sent, answer)
      const code = codeOf(answer)
      if (answer.status === 200) {
        note(keyed, answer)
        if (statusIn(answer) !== 'PENDING') return
      } else if (code === 'transaction_terminal') return
      else if (code !== 'no_attempt') {
        strange(sent, 'confirm-otp', answer)
        return
      }
      await sleep(1_000)
      const seen = await this.#verify(secret, sent, id)
      if (seen === undefined || statusIn(seen) !== 'PENDING') return
    }
  }

  async #look(secret: string, sent: Sent, id: string): Promise<void> {
    const { random } = this.#loading
    const seen = await this.#verify(secret, sent, id)
    if (sent.payer.is_paid || seen === undefined) return
    if (statusIn(seen) !== 'FAILED' || !random.chance(0.6)) return
    await this.#retry(secret, sent, id)
    if (sent.payer.gives_code) await this.#giveCode(secret, sent, id)
  }

  async #verify(secret: string, sent: Sent, id: string): Promise<Answer | undefined> {
    const path = `/${sent.payer.is_paid ? 'payouts' : 'payments'}/${id}/verify/`
    const answer = await this.#insist({ method: 'GET', path, secret })
    if (answer === undefined) return undefined
    noteStatus(sent, answer)
    return answer.status === 200 ? answer : strange(sent, 'verify', answer)
  }

  async #retry(secret: string, sent: Sent, id: string): Promise<void> {
    const keyed: Keyed = { key: `${sent.key}-retry`, answers: [] }
    sent.retries.push(keyed)
    const path = `/payments/${id}/retry/`
    const call: Call = { method: 'POST', path, secret, idempotency_key: keyed.key, body: {} }
    for (let times = 0; times < 2; times += 1) {
      const answer = await this.#insist(call)
      if (answer === undefined) return
      noteStatus(sent, answer)
      // Another has paid it or is at it: nothing was begun, and the key is free.
      if (answer.status === 409) return
      if (paymentIn(answer) === '') return strange(sent, 'retry', answer)
      note(keyed, answer)
    }
  }

  #insist(call: Call): Promise<Answer | undefined> {
    return this.#loading.caller.callUntilAnswered(call, () => this.#is_over)
  }
}

/** An answer that the call should never get. */
function strange(sent: Sent, call: string, { status, text }: Answer): undefined {
  const at = new Date().toISOString()
  sent.strange.push(`${sent.key} ${call} at ${at}: ${status} ${text.slice(0, 200)}`)
}

function noteStatus(sent: Sent, answer: Answer): void {
  if (answer.status < 300 && statusIn(answer) === 'SUCCESS') sent.was_success = true
}

function bodyOf({ key, amount, payer }: Sent) {
  const { country, network, phone } = payer
  const customer = { email: `${key}@example.com`, first_name: 'Awa', last_name: 'Diop', phone }
  return { amount, currency: 'XOF', country, network, customer, merchant_reference: key }
}

function payoutOf({ key, amount, payer }: Sent) {
  const { country, network, phone } = payer
  const customer = { email: `${key}@example.com`, first_name: 'Awa', last_name: 'Diop' }
  const who = { recipient: { msisdn: phone }, customer, merchant_reference: key }
  return { amount, currency: 'XOF', country, method: network, ...who }
}
