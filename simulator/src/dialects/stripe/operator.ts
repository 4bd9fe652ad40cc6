// The operator at work: pages and refunds are made, paid and given back, and each change sends its
// events. What plays by itself is drawn from the record and the clock.

import { late_ms, type Notice } from '../payer-page.ts'
import type { Event, Events, Target } from '../signed-events.ts'
import type { Source } from '../source.ts'
import type { Books } from './books.ts'
import {
  cardOf,
  chargeOf,
  intentOf,
  type Pace,
  type Refund,
  refundState,
  type Session,
  showChargeOf,
  showDispute,
  showRefund,
  showSession,
  stateOf,
  turnAfterMs,
} from './objects.ts'
import { cards, scenarioOf } from './scenarios.ts'

export type OperatorDeps = Pace &
  Readonly<{
    books: Books
    events: Events
    /** Of the page of a session. */
    page_url: (id: string) => string
    now: Source['now']
    random: Source['random']
  }>

export const newId = ({ random }: OperatorDeps, prefix: string, about: string): string =>
  `${prefix}${random(`${prefix}${about}`, 12).toString('hex')}`

/** The page as it is now: some are paid by themselves. */
export function asOfNow(session: Session, { speed, misbehaves, now }: OperatorDeps): Session {
  const { plays, plays_after_ms, ends_after_ms } = scenarioOf(session.name, misbehaves)
  const at = session.created_at + plays_after_ms / speed
  if (session.card !== '' || plays === '' || now() < at) return session
  const declines = cards.get(plays)?.declines !== undefined
  const ends_at = session.created_at + ends_after_ms / speed
  const ended_at = ends_after_ms > 0 && now() >= ends_at ? ends_at : session.ended_at
  return { ...session, card: plays, paid_at: declines ? 0 : at, ended_at }
}

/**
 * What moves, in the smallest unit. By chance, or with a planted fault, it is another sum than was
 * asked for.
 */
export function movedAmount(session: Session, { misbehaves }: Pace): number {
  const { wrong_amount } = scenarioOf(session.name, misbehaves)
  const isOther = session.altered === 'amount' || wrong_amount
  return isOther ? Math.max(1, session.amount - 100) : session.amount
}

export const movedCurrency = ({ altered, currency }: Session): string => {
  if (altered !== 'currency') return currency
  return currency === 'eur' ? 'usd' : 'eur'
}

export const refundedOf = (deps: OperatorDeps, session: Session): Refund[] =>
  [...deps.books.refunds.values()].filter(({ intent }) => intent === intentOf(session))

/** The smallest units that were given back and have not come back. */
export const givenBack = (deps: OperatorDeps, session: Session): number =>
  refundedOf(deps, session)
    .filter((one) => refundState(one, cardOf(session), deps, deps.now()) !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0)

export function shown(deps: OperatorDeps, kept: Session, expand: readonly string[] = []) {
  const session = asOfNow(kept, deps)
  return showSession(session, {
    url: deps.page_url(session.id),
    refunded: givenBack(deps, session),
    now: deps.now(),
    expand,
    amount: session.paid_at > 0 ? movedAmount(session, deps) : session.amount,
    currency: session.paid_at > 0 ? movedCurrency(session) : session.currency,
  })
}

function targetsOf({ books }: OperatorDeps, type: string): Target[] {
  return [...books.endpoints.values()]
    .filter(({ enabled_events: all }) => all.includes(type) || all.includes('*'))
    .map(({ url, secret }) => ({ url, secret }))
}

const send = (deps: OperatorDeps, event: Event): Promise<void> =>
  deps.events.schedule(event, targetsOf(deps, event.type))

const howOf = (deps: OperatorDeps, session: Session) =>
  scenarioOf(session.name, deps.misbehaves).events

/** The events of a page that are still to come; resolves with the first of them. */
export async function announce(deps: OperatorDeps, kept: Session): Promise<void> {
  const scenario = scenarioOf(kept.name, deps.misbehaves)
  const { plays, plays_after_ms, ends_after_ms } = scenario
  const pays = plays !== '' && cards.get(plays)?.declines === undefined
  if (kept.card === '' && pays) {
    const at = kept.created_at + plays_after_ms / deps.speed
    return announcePaid(deps, { ...kept, card: plays, paid_at: at })
  }
  const again = () => asOfNow(deps.books.sessions.get(kept.id) ?? kept, deps)
  await send(deps, {
    type: 'checkout.session.expired',
    subject: kept.id,
    at: ends_after_ms > 0 ? kept.created_at + ends_after_ms / deps.speed : kept.expires_at,
    object: () => shown(deps, again()),
    how: howOf(deps, kept),
    still: () => stateOf(again(), deps.now()) === 'expired',
  })
}

/** When an event of a page leaves, and whether at all: its payer may have chosen. */
function tellingOf(deps: OperatorDeps, session: Session) {
  const how = session.notice === 'never' ? ('never' as const) : howOf(deps, session)
  return { how, after_ms: session.notice === 'late' ? late_ms / deps.speed : 0 }
}

async function announcePaid(deps: OperatorDeps, session: Session): Promise<void> {
  const { id: subject } = session
  const { how, after_ms } = tellingOf(deps, session)
  const at = session.paid_at + after_ms
  const again = () => deps.books.sessions.get(session.id) ?? session
  const type = 'checkout.session.completed'
  const paid = send(deps, { type, subject, at, object: () => shown(deps, again()), how })
  if (cardOf(session)?.disputes) {
    const object = () => showDispute(session)
    void send(deps, {
      type: 'charge.dispute.created',
      subject,
      at: at + 500 / deps.speed,
      object,
      how,
    })
  }
  await paid
}

export async function announceExpired(deps: OperatorDeps, session: Session): Promise<void> {
  const { how, after_ms } = tellingOf(deps, session)
  const at = session.ended_at + after_ms
  const about = { type: 'checkout.session.expired', subject: session.id, at }
  await send(deps, { ...about, object: () => shown(deps, session), how })
}

/** A refund changes its charge at once, and itself again where its card says so. */
export function announceRefund(deps: OperatorDeps, refund: Refund, session: Session): void {
  const how = howOf(deps, session)
  const subject = refund.id
  const object = () => showRefund(refund, session, deps, deps.now())
  const charge = () => showChargeOf(session, givenBack(deps, session))
  const at = refund.created_at
  void send(deps, { type: 'charge.refunded', subject, at, object: charge, how })
  const turn = cardOf(session)?.refund
  if (turn === undefined) return
  const type = turn === 'waits' ? 'refund.updated' : 'refund.failed'
  void send(deps, { type, subject, at: at + turnAfterMs / deps.speed, object, how })
}

/** A test has ended it. */
export function announceRefundEnd(deps: OperatorDeps, refund: Refund, session: Session): void {
  const type = refund.resolved === 'failed' ? 'refund.failed' : 'refund.updated'
  const object = () => showRefund(refund, session, deps, deps.now())
  const about = { type, subject: refund.id, at: deps.now(), object }
  void send(deps, { ...about, how: howOf(deps, session) })
}

/** What a former process had still to send. */
export function resume(deps: OperatorDeps): void {
  for (const session of deps.books.sessions.values()) {
    const isPaid = asOfNow(session, deps).paid_at > 0
    if (!isPaid && session.ended_at === 0) void announce(deps, session)
    const ended_at = Math.max(session.paid_at, session.ended_at)
    const isOver = session.notice !== 'late' || ended_at + late_ms / deps.speed <= deps.now()
    if (!isOver) void (isPaid ? announcePaid : announceExpired)(deps, session)
  }
  for (const refund of deps.books.refunds.values()) {
    const session = sessionOfIntent(deps, refund.intent)
    const ends_at = refund.created_at + turnAfterMs / deps.speed
    if (session !== undefined && ends_at > deps.now()) announceRefund(deps, refund, session)
  }
}

export function sessionOfIntent(deps: OperatorDeps, intent: string): Session | undefined {
  const found = [...deps.books.sessions.values()].find((one) => intentOf(one) === intent)
  return found && asOfNow(found, deps)
}

export const sessionOfCharge = (deps: OperatorDeps, charge: string): Session | undefined => {
  const found = [...deps.books.sessions.values()].find((one) => chargeOf(one) === charge)
  return found && asOfNow(found, deps)
}

/** Somebody gives this card on the page. False: it has ended. */
export async function giveCard(
  deps: OperatorDeps,
  id: string,
  number: string,
  notice?: Notice,
): Promise<'paid' | 'declined' | 'ended'> {
  const kept = deps.books.sessions.get(id)
  const session = kept && asOfNow(kept, deps)
  if (session === undefined || session.paid_at > 0 || session.ended_at > 0) return 'ended'
  if (session.expires_at <= deps.now()) return 'ended'
  const card = cards.get(number)
  const declines = card === undefined || card.declines !== undefined
  const paid_at = declines ? 0 : deps.now()
  const tried: Session = {
    ...session,
    card: number,
    paid_at,
    ...(notice && !declines && { notice }),
  }
  deps.books.keep({ session: tried })
  if (declines) return 'declined'
  const announced = announcePaid(deps, tried)
  if (notice !== 'late') await announced
  return 'paid'
}

/** Its payer leaves, with the last card that they gave. */
export function endPage(
  deps: OperatorDeps,
  id: string,
  { card, notice }: Readonly<{ card?: string | undefined; notice?: Notice | undefined }>,
): void {
  const kept = deps.books.sessions.get(id)
  if (kept === undefined) return
  const ended: Session = {
    ...{ ...asOfNow(kept, deps), ended_at: deps.now() },
    ...(card === undefined ? {} : { card }),
    ...(notice === undefined ? {} : { notice }),
  }
  deps.books.keep({ session: ended })
  void announceExpired(deps, ended)
}
