// An operator that answers as the world says and keeps its own true books: what it took for each
// of our keys. It shares no rule with the service, so that it can disagree with it.

import { createHmac } from 'node:crypto'
import type {
  Answer,
  GatewayOrder as Asked,
  AttemptKey,
  GatewayReply,
} from '../../src/gateways/gateway.ts'
import type { CreateAnswer, Deed, Fate, Operator } from './world.ts'

const secret = 'only the operator and we know this'

export type OperatorOrder = {
  readonly our_key: string
  readonly external_reference: string
  readonly requested: Asked
  /** Counts the orders of all operators of a world. */
  readonly made_no: number
  /** Seconds on the world's clock. */
  readonly made_at: number
  state: 'waiting' | 'paid' | 'refused'
  /** What it took: hundredths, 0n when it took nothing or gave it back. */
  taken: bigint
  /** It has taken money at least once. */
  was_paid: boolean
  refused_by: 'payer' | 'gateway' | 'float'
  /** How often it has said the opposite of what it had said. */
  contradictions: number
  /** It has taken another amount than was asked. */
  was_odd: boolean
  /** It said that it does not know it. */
  denied: boolean
  /** The bodies of what it had to say, the first one first. */
  bodies: string[]
  /** The newest of these was acknowledged. */
  acknowledged: boolean
}

export type Sending = Readonly<{ our_key: string; amount: bigint; line: string }>

export type Desk = Readonly<{
  code: string
  traits: Operator
  orders: readonly OperatorOrder[]
  /** What broke a promise between us: a key that was sent again without asking. */
  broken: readonly string[]
  /** Every request for money as it left us, and whose line of work sent it. */
  sendings: readonly Sending[]
  /** How often this key has come in. */
  sends(our_key: string): number
  /** What was answered about a key to what was asked of it, by a send or a question. */
  answered(our_key: string): ReadonlySet<Answer['is']>
  /** `sends_before`: how often the key had come in when its sender made ready to send. */
  create(requested: Asked, sending: Readonly<{ sends_before: number; line: string }>): GatewayReply
  query(attempt: AttemptKey): GatewayReply
  cancel(attempt: AttemptKey): GatewayReply
  resolve(attempt: AttemptKey, pays: boolean): GatewayReply
  confirmOtp(attempt: AttemptKey, otp: string): 'wrong' | GatewayReply
  does(order: OperatorOrder, deed: Deed): void
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
  orders: OperatorOrder[]
  sendings: Sending[]
  broken: string[]
  late: { requested: Asked; at: number }[]
  calls: number
  queried: number
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
  callEarly: (order: OperatorOrder) => void
}>

export function openDesk(options: DeskOptions): Desk {
  const state: State = {
    orders: [],
    sendings: [],
    broken: [],
    late: [],
    calls: 0,
    queried: 0,
    calm: undefined,
    sent: new Map(),
    answered: new Map(),
  }
  const { code, traits } = options
  const replyOf = ({ our_key }: AttemptKey, given: Answer): GatewayReply => {
    state.answered.set(our_key, (state.answered.get(our_key) ?? new Set()).add(given.is))
    return gatewayReply(given)
  }
  return {
    code,
    traits,
    orders: state.orders,
    broken: state.broken,
    sendings: state.sendings,
    sends: (our_key) => state.sent.get(our_key)?.times ?? 0,
    answered: (our_key) => state.answered.get(our_key) ?? new Set(),
    create: (requested, { sends_before, line }) => {
      state.sendings.push({ our_key: requested.our_key, amount: requested.amount, line })
      return replyOf(requested, create(state, options, requested, sends_before))
    },
    query: (attempt) =>
      replyOf(
        attempt,
        answer(state, options, attempt, () => undefined),
      ),
    cancel: (attempt) =>
      replyOf(
        attempt,
        answer(state, options, attempt, (one) => refuse(one, 'gateway')),
      ),
    resolve: (attempt, pays) =>
      replyOf(
        attempt,
        answer(state, options, attempt, (one) =>
          pays ? pay(one, one.requested.amount) : refuse(one, 'payer'),
        ),
      ),
    confirmOtp: (attempt, otp) => {
      const isOpen = find(state, attempt.our_key)?.state === 'waiting'
      if (isOpen && otp !== rightOtp) return 'wrong'
      return replyOf(
        attempt,
        answer(state, options, attempt, (one) => pay(one, one.requested.amount)),
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

function gatewayReply(answer: Answer): GatewayReply {
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
function take(
  state: State,
  { code, traits, now, nextNo }: DeskOptions,
  requested: Asked,
): OperatorOrder {
  const known = find(state, requested.our_key)
  if (known !== undefined && traits.create_is_idempotent) return known
  const order: OperatorOrder = {
    our_key: requested.our_key,
    external_reference: `${code}-${state.orders.length}-${requested.our_key.slice(0, 8)}`,
    requested,
    made_no: nextNo(),
    made_at: now(),
    state: 'waiting',
    taken: 0n,
    was_paid: false,
    refused_by: 'payer',
    contradictions: 0,
    was_odd: false,
    denied: false,
    bodies: [],
    acknowledged: false,
  }
  state.orders.push(order)
  if (state.calm !== undefined) meetFate(state, order)
  return order
}

/**
 * A key comes in again only where that is harmless, after we have said that we do not know it; or
 * because its sender stood still and was overtaken by who had been told so.
 */
function checkPromise(
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

function create(
  state: State,
  options: DeskOptions,
  requested: Asked,
  sends_before: number,
): Answer {
  const { our_key } = requested
  checkPromise(state, options, our_key, sends_before)
  const how: CreateAnswer =
    state.calm === undefined ? (options.traits.creates[state.calls] ?? 'waits') : 'waits'
  state.calls += 1
  if (how === 'never_sent') return { is: 'never_sent', because: 'refused the connection' }
  state.sent.set(our_key, { times: (state.sent.get(our_key)?.times ?? 0) + 1, unknown: false })
  return outcomeOf(state, options, requested, how)
}

const lost: Answer = { is: 'unknown', because: 'time-out' }

function outcomeOf(
  state: State,
  options: DeskOptions,
  requested: Asked,
  how: Exclude<CreateAnswer, 'never_sent'>,
): Answer {
  if (how === 'lost_on_the_way_there') return lost
  if (how === 'arrives_late') {
    state.late.push({ requested, at: options.now() })
    return lost
  }
  const order = take(state, options, requested)
  if (order.state !== 'waiting') return answerOf(order)
  switch (how) {
    case 'waits':
      return answerOf(order)
    case 'confirms':
    case 'confirms_other_amount':
    case 'lost_and_paid':
      pay(order, how === 'confirms_other_amount' ? requested.amount - shortBy : requested.amount)
      return how === 'lost_and_paid' ? lost : answerOf(order)
    case 'confirms_by_early_callback':
      pay(order, requested.amount)
      options.callEarly(order)
      return { is: 'waiting', external_reference: order.external_reference, next: 'payer' }
    case 'payer_refuses':
    case 'gateway_refuses':
    case 'gateway_refuses_by_early_callback':
      refuse(order, how === 'payer_refuses' ? 'payer' : 'gateway')
      if (how === 'gateway_refuses_by_early_callback') options.callEarly(order)
      return answerOf(order)
    case 'float_is_empty':
      // What is collected needs none.
      refuse(order, requested.direction === 'DISBURSE' ? 'float' : 'gateway')
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
  doTo: (order: OperatorOrder) => void,
): Answer {
  const order = find(state, our_key)
  const how = state.calm === undefined ? (traits.asks[state.queried] ?? 'truth') : 'truth'
  state.queried += 1
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

const refusals = {
  payer: 'NOT_APPROVED',
  gateway: 'GATEWAY_REFUSED',
  float: 'GATEWAY_UNAVAILABLE',
} as const

function answerOf(order: OperatorOrder): Answer {
  const { external_reference, requested } = order
  if (order.state === 'paid') {
    return {
      is: 'confirmed',
      external_reference,
      amount: order.taken,
      currency: requested.currency,
    }
  }
  if (order.state === 'waiting') {
    return {
      is: 'waiting',
      external_reference,
      next: requested.otp_kind === 'POST' ? 'otp' : 'payer',
    }
  }
  return {
    is: 'refused',
    by: order.refused_by,
    failure_code: refusals[order.refused_by],
    detail: 'said no',
    external_reference,
  }
}

function pay(order: OperatorOrder, amount: bigint): void {
  order.state = 'paid'
  order.taken = amount
  order.was_paid = true
  if (amount !== order.requested.amount) order.was_odd = true
  announce(order)
}

function refuse(order: OperatorOrder, by: OperatorOrder['refused_by']): void {
  order.state = 'refused'
  order.taken = 0n
  order.refused_by = by
  announce(order)
}

function act(order: OperatorOrder, deed: Deed): void {
  const waits = order.state === 'waiting'
  if (deed === 'pays' && waits) pay(order, order.requested.amount)
  if (deed === 'pays_other_amount' && waits) pay(order, order.requested.amount - shortBy)
  if (deed === 'refuses' && waits) refuse(order, 'payer')
  if (deed !== 'contradicts' || waits) return
  order.contradictions += 1
  if (order.state === 'paid') refuse(order, 'gateway')
  else pay(order, order.requested.amount)
}

/** A request that we gave up waiting for comes in after all, well within the time of grace. */
function arriveLate(state: State, options: DeskOptions): void {
  const late = state.late.splice(0)
  for (const { requested, at } of late) {
    if (options.now() - at < slownessMaxS) take(state, options, requested)
  }
}

function meetFate(state: State, order: OperatorOrder): void {
  const fates = state.calm ?? []
  const fate = fates[state.orders.indexOf(order) % Math.max(1, fates.length)] ?? 'pays'
  if (order.state !== 'waiting' || fate === 'never') return
  if (fate === 'pays') pay(order, order.requested.amount)
  else refuse(order, 'payer')
}

/** What a callback about the order says just now. */
export function bodyOf(order: OperatorOrder): string {
  const { our_key, external_reference, state, taken, requested } = order
  const { amount, currency } = requested
  const figure = state === 'waiting' ? amount : taken
  return JSON.stringify({ our_key, external_reference, state, amount: `${figure}`, currency })
}

function announce(order: OperatorOrder): void {
  order.bodies.push(bodyOf(order))
  order.acknowledged = false
}

export const sign = (body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex')
