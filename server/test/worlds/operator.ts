// An operator that answers as the world says and keeps its own true books: what it took for each
// of our keys. It shares no rule with the service, so that it can disagree with it.

import { createHmac } from 'node:crypto'
import type { Answer, Order as Asked, AttemptKey, Told } from '../../src/gateways/gateway.ts'
import type { CreateAnswer, Deed, Fate, Operator } from './world.ts'

const secret = 'only the operator and we know this'

export type Order = {
  readonly our_key: string
  readonly external_reference: string
  readonly asked: Asked
  /** Counts the orders of all operators of a world. */
  readonly made_no: number
  /** Seconds on the world's clock. */
  readonly made_at: number
  state: 'waiting' | 'paid' | 'refused'
  /** What it took: hundredths, 0n when it took nothing or gave it back. */
  taken: bigint
  /** It has taken money at least once. */
  was_paid: boolean
  refused_by: 'payer' | 'gateway'
  /** How often it has said the opposite of what it had said. */
  contradictions: number
  /** It has taken another amount than was asked. */
  was_odd: boolean
  /** It said that it does not know it. */
  denied: boolean
  /** The bodies of what it had to say, the first one first. */
  said: string[]
  /** The newest of these was acknowledged. */
  heard: boolean
}

export type Sending = Readonly<{ our_key: string; amount: bigint; line: string }>

export type Desk = Readonly<{
  code: string
  traits: Operator
  orders: readonly Order[]
  /** What broke a promise between us: a key that was sent again without asking. */
  broken: readonly string[]
  /** Every request for money as it left us, and whose line of work sent it. */
  sendings: readonly Sending[]
  /** How often this key has come in. */
  sends(our_key: string): number
  /** What was answered about a key to what was asked of it, by a send or a question. */
  answered(our_key: string): ReadonlySet<Answer['is']>
  /** `sends_before`: how often the key had come in when its sender made ready to send. */
  create(asked: Asked, sending: Readonly<{ sends_before: number; line: string }>): Told
  ask(attempt: AttemptKey): Told
  cancel(attempt: AttemptKey): Told
  resolve(attempt: AttemptKey, pays: boolean): Told
  confirmOtp(attempt: AttemptKey, otp: string): 'wrong' | Told
  does(order: Order, deed: Deed): void
  arriveLate(): void
  /** From now on it tells the truth at once, and these become of what is open. */
  calm(fates: readonly Fate[]): void
}>

export const rightOtp = '123456'
/**
 * What makes an order late or hard to find adds up to less than the time of grace: a request may
 * stand still before it leaves, be on its way, and be found slowly, each for a third of it.
 */
export const slownessMaxS = (15 * 60) / 3
const shortBy = 100_00n

type State = {
  orders: Order[]
  sendings: Sending[]
  broken: string[]
  late: { asked: Asked; at: number }[]
  calls: number
  asked: number
  calm: readonly Fate[] | undefined
  /** Keys that were sent: how often, and whether we said since that we do not know them. */
  sent: Map<string, { times: number; unknown: boolean }>
  answered: Map<string, Set<Answer['is']>>
}

export type DeskOptions = Readonly<{
  code: string
  traits: Operator
  now: () => number
  nextNo: () => number
  /** The operator calls back by itself, before it has answered. */
  callEarly: (order: Order) => void
}>

export function openDesk(options: DeskOptions): Desk {
  const state: State = {
    orders: [],
    sendings: [],
    broken: [],
    late: [],
    calls: 0,
    asked: 0,
    calm: undefined,
    sent: new Map(),
    answered: new Map(),
  }
  const { code, traits } = options
  const told = ({ our_key }: AttemptKey, said: Answer): Told => {
    state.answered.set(our_key, (state.answered.get(our_key) ?? new Set()).add(said.is))
    return tellable(said)
  }
  return {
    code,
    traits,
    orders: state.orders,
    broken: state.broken,
    sendings: state.sendings,
    sends: (our_key) => state.sent.get(our_key)?.times ?? 0,
    answered: (our_key) => state.answered.get(our_key) ?? new Set(),
    create: (asked, { sends_before, line }) => {
      state.sendings.push({ our_key: asked.our_key, amount: asked.amount, line })
      return told(asked, create(state, options, asked, sends_before))
    },
    ask: (attempt) =>
      told(
        attempt,
        answer(state, options, attempt, () => undefined),
      ),
    cancel: (attempt) =>
      told(
        attempt,
        answer(state, options, attempt, (one) => refuse(one, 'gateway')),
      ),
    resolve: (attempt, pays) =>
      told(
        attempt,
        answer(state, options, attempt, (one) =>
          pays ? pay(one, one.asked.amount) : refuse(one, 'payer'),
        ),
      ),
    confirmOtp: (attempt, otp) => {
      const isOpen = find(state, attempt.our_key)?.state === 'waiting'
      if (isOpen && otp !== rightOtp) return 'wrong'
      return told(
        attempt,
        answer(state, options, attempt, (one) => pay(one, one.asked.amount)),
      )
    },
    does: act,
    arriveLate: () => arriveLate(state, options),
    calm: (fates) => {
      arriveLate(state, options)
      state.calm = fates
      for (const order of state.orders) meetFate(state, order)
    },
  }
}

function tellable(answer: Answer): Told {
  return {
    answer,
    hash: createHmac('sha256', secret)
      .update(JSON.stringify(plain(answer)))
      .digest(),
  }
}

const plain = (answer: Answer) => ('amount' in answer ? { ...answer, amount: '' } : answer)

const find = (state: State, our_key: string) =>
  state.orders.find((order) => order.our_key === our_key)

function notKnown(state: State, our_key: string): Answer {
  const sent = state.sent.get(our_key)
  if (sent !== undefined) sent.unknown = true
  return { is: 'not_found' }
}

/** Puts the order down. A second one with the same key is the same only where that is promised. */
function take(state: State, { code, traits, now, nextNo }: DeskOptions, asked: Asked): Order {
  const known = find(state, asked.our_key)
  if (known !== undefined && traits.create_is_idempotent) return known
  const order: Order = {
    our_key: asked.our_key,
    external_reference: `${code}-${state.orders.length}-${asked.our_key.slice(0, 8)}`,
    asked,
    made_no: nextNo(),
    made_at: now(),
    state: 'waiting',
    taken: 0n,
    was_paid: false,
    refused_by: 'payer',
    contradictions: 0,
    was_odd: false,
    denied: false,
    said: [],
    heard: false,
  }
  state.orders.push(order)
  if (state.calm !== undefined) meetFate(state, order)
  return order
}

/**
 * A key comes in again only where that is harmless, after we have said that we do not know it; or
 * because its sender stood still and was overtaken by who had been told so.
 */
function insistPromise(
  { sent, broken }: State,
  { code, traits }: DeskOptions,
  our_key: string,
  sends_before: number,
): void {
  const before = sent.get(our_key)
  if (before === undefined) return
  const may_come = before.unknown || before.times > sends_before
  if (traits.create_is_idempotent && may_come) return
  broken.push(`${code} was sent ${our_key} again without having been asked`)
}

function create(state: State, options: DeskOptions, asked: Asked, sends_before: number): Answer {
  const { our_key } = asked
  insistPromise(state, options, our_key, sends_before)
  const how: CreateAnswer =
    state.calm === undefined ? (options.traits.creates[state.calls] ?? 'waits') : 'waits'
  state.calls += 1
  if (how === 'never_sent') return { is: 'never_sent', because: 'refused the connection' }
  state.sent.set(our_key, { times: (state.sent.get(our_key)?.times ?? 0) + 1, unknown: false })
  return taken(state, options, asked, how)
}

const lost: Answer = { is: 'unknown', because: 'time-out' }

function taken(
  state: State,
  options: DeskOptions,
  asked: Asked,
  how: Exclude<CreateAnswer, 'never_sent'>,
): Answer {
  if (how === 'lost_on_the_way_there') return lost
  if (how === 'arrives_late') {
    state.late.push({ asked, at: options.now() })
    return lost
  }
  const order = take(state, options, asked)
  if (order.state !== 'waiting') return answerOf(order)
  switch (how) {
    case 'waits':
      return answerOf(order)
    case 'confirms':
    case 'confirms_other_amount':
    case 'lost_and_paid':
      pay(order, how === 'confirms_other_amount' ? asked.amount - shortBy : asked.amount)
      return how === 'lost_and_paid' ? lost : answerOf(order)
    case 'confirms_by_early_callback':
      pay(order, asked.amount)
      options.callEarly(order)
      return { is: 'waiting', external_reference: order.external_reference, next: 'payer' }
    case 'payer_refuses':
    case 'gateway_refuses':
    case 'gateway_refuses_by_early_callback':
      refuse(order, how === 'payer_refuses' ? 'payer' : 'gateway')
      if (how === 'gateway_refuses_by_early_callback') options.callEarly(order)
      return answerOf(order)
    case 'lost_and_waits':
      return lost
  }
}

/** What it says of an order that it is asked about, having done to it what was asked. */
function answer(
  state: State,
  { traits, now }: DeskOptions,
  { our_key }: AttemptKey,
  doTo: (order: Order) => void,
): Answer {
  const order = find(state, our_key)
  const how = state.calm === undefined ? (traits.asks[state.asked] ?? 'truth') : 'truth'
  state.asked += 1
  if (how === 'never_sent') return { is: 'never_sent', because: 'refused the connection' }
  if (order?.state === 'waiting') doTo(order)
  if (how === 'unknown') return lost
  if (order === undefined) return notKnown(state, our_key)
  const denies = how === 'denies'
  if (denies) order.denied = true
  // It may be slow to find what it has, but not slower than it has promised.
  const mayMiss = order.state === 'waiting' && now() - order.made_at < slownessMaxS
  return denies || (how === 'not_found' && mayMiss) ? notKnown(state, our_key) : answerOf(order)
}

function answerOf(order: Order): Answer {
  const { external_reference, asked } = order
  if (order.state === 'paid') {
    return { is: 'confirmed', external_reference, amount: order.taken, currency: asked.currency }
  }
  if (order.state === 'waiting') {
    return { is: 'waiting', external_reference, next: asked.otp_kind === 'POST' ? 'otp' : 'payer' }
  }
  const byPayer = order.refused_by === 'payer'
  return {
    is: 'refused',
    by: order.refused_by,
    failure_code: byPayer ? 'NOT_APPROVED' : 'GATEWAY_REFUSED',
    detail: 'said no',
    external_reference,
  }
}

function pay(order: Order, amount: bigint): void {
  order.state = 'paid'
  order.taken = amount
  order.was_paid = true
  if (amount !== order.asked.amount) order.was_odd = true
  say(order)
}

function refuse(order: Order, by: Order['refused_by']): void {
  order.state = 'refused'
  order.taken = 0n
  order.refused_by = by
  say(order)
}

function act(order: Order, deed: Deed): void {
  const waits = order.state === 'waiting'
  if (deed === 'pays' && waits) pay(order, order.asked.amount)
  if (deed === 'pays_other_amount' && waits) pay(order, order.asked.amount - shortBy)
  if (deed === 'refuses' && waits) refuse(order, 'payer')
  if (deed !== 'contradicts' || waits) return
  order.contradictions += 1
  if (order.state === 'paid') refuse(order, 'gateway')
  else pay(order, order.asked.amount)
}

/** A request that we gave up waiting for comes in after all, well within the time of grace. */
function arriveLate(state: State, options: DeskOptions): void {
  const late = state.late.splice(0)
  for (const { asked, at } of late) {
    if (options.now() - at < slownessMaxS) take(state, options, asked)
  }
}

function meetFate(state: State, order: Order): void {
  const fates = state.calm ?? []
  const fate = fates[state.orders.indexOf(order) % Math.max(1, fates.length)] ?? 'pays'
  if (order.state !== 'waiting' || fate === 'never') return
  if (fate === 'pays') pay(order, order.asked.amount)
  else refuse(order, 'payer')
}

/** What a callback about the order says just now. */
export function bodyOf(order: Order): string {
  const { our_key, external_reference, state, taken, asked } = order
  const { amount, currency } = asked
  const figure = state === 'waiting' ? amount : taken
  return JSON.stringify({ our_key, external_reference, state, amount: `${figure}`, currency })
}

function say(order: Order): void {
  order.said.push(bodyOf(order))
  order.heard = false
}

export const sign = (body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')
