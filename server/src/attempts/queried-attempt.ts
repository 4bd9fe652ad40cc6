// An attempt that is asked about, as it was sent, and with what its operator answered: what of that
// is new, and when it is asked about again.

import type { CatalogueOf } from '../catalogue/read-catalogue.ts'
import { firstAskS } from '../gateways/callback-times.ts'
import {
  cancels,
  type Gateway,
  type GatewayReply,
  type Gateways,
  type Memo,
} from '../gateways/gateway.ts'
import { type Acceptance, isPageSoon, pageAskS } from './acceptance.ts'
import { type Attempt, dailyQueryTimeS, hasTwoPages, queryAgainAfterS } from './attempt.ts'
import type { AttemptContext, Purpose } from './purpose.ts'
import type { RefundOf } from './send-attempt.ts'

export type QueriedAttempt = {
  attempt: Attempt
  gateway: Gateway
  reply: GatewayReply
  refund: RefundOf | undefined
  memo: Memo | undefined
  by_page: boolean
}

type Knows = Readonly<{ catalogue: CatalogueOf }>

/** Read only where an operator's word on pages counts. */
export async function isByPage(
  { catalogue }: Knows,
  { facts }: Gateway,
  attempt: Attempt,
): Promise<boolean> {
  if (facts.unshown_is_proof !== true) return false
  return (await flowOf({ catalogue }, attempt)) === 'redirect'
}

/**
 * As it was sent, whatever its route is set to now. The receiver of a payout opens no page; one of
 * before attempts had a flow was sent as its network has it.
 */
export async function flowOf(
  { catalogue }: Knows,
  { direction, flow, network_code }: Attempt,
): Promise<'push' | 'redirect'> {
  if (direction === 'DISBURSE') return 'push'
  return flow ?? (await catalogue(0n)).networkByCode(network_code)?.flow ?? 'push'
}

/** Its payer had their time, and its operator still waits for them. */
export const isPromptOver = ({ attempt, gateway, reply }: QueriedAttempt): boolean =>
  reply.answer.is === 'waiting' &&
  attempt.direction === 'COLLECT' &&
  attempt.grace_age_s >= promptLifetimeS(attempt, gateway) &&
  cancels(gateway)

/** As its route had it when it was sent, else as its operator usually waits. Seconds. */
const promptLifetimeS = ({ prompt_lifetime_s }: Attempt, { facts }: Gateway): number =>
  prompt_lifetime_s ?? facts.prompt_lifetime_s ?? Number.POSITIVE_INFINITY

/**
 * Of two pages for one payment one was paid. Whether the other was too is asked for as long as
 * somebody may pay it and a search may find it late, whatever was asked meanwhile. Seconds to the
 * next question; undefined: no more.
 */
export function otherPageAskS({ attempt, gateway }: QueriedAttempt): number | undefined {
  const { not_found_grace_s } = gateway.facts
  const isAsked =
    attempt.status === 'SUCCESS' &&
    hasTwoPages(attempt, gateway.facts) &&
    !attempt.asking_is_over &&
    attempt.grace_age_s < promptLifetimeS(attempt, gateway) + 2 * not_found_grace_s
  return isAsked ? not_found_grace_s : undefined
}

/** When an operator does not find what it has confirmed, that proves nothing either. */
const isUninformative = (answer: GatewayReply['answer'], { status }: Attempt): boolean =>
  (answer.is === 'unknown' && answer.cannot_ask !== true) ||
  answer.is === 'never_sent' ||
  (answer.is === 'not_found' && status === 'SUCCESS')

/** After as many questions, and a month, an operator that answers nothing is asked no more. */
const mostAsks = 1_000

/** Seconds to the next question. `spent`: enough were asked, and nothing was learnt. */
export type AskedAgain = number | 'spent' | undefined

/**
 * What contradicts an attempt that has ended is asked about until its operator says how it ended.
 */
export function wokenAgainAfterS({ asks, age_s, asking_is_over }: Attempt): number | 'spent' {
  if (!asking_is_over) return 60
  return asks >= mostAsks && age_s >= dailyQueryTimeS ? 'spent' : 3_600
}

/** It answers, only not how it ended: a month is enough, however often it was asked. */
const stillWaitsAgainS = (attempt: Attempt): number | 'spent' =>
  attempt.age_s >= dailyQueryTimeS ? 'spent' : wokenAgainAfterS(attempt)

/** Of an attempt that has ended: the answer taught nothing, or there may be another page. */
export function endedAgainAfterS(queried: QueriedAttempt): AskedAgain {
  const { answer } = queried.reply
  if (answer.is === 'waiting') return stillWaitsAgainS(queried.attempt)
  return isUninformative(answer, queried.attempt)
    ? wokenAgainAfterS(queried.attempt)
    : otherPageAskS(queried)
}

/**
 * The answer to its send was lost, and the gateway has it; or the payer's page has come, or is
 * another one: what the payer is to do is new. A code that is waited for has its own way in.
 */
export function isNews(purpose: Purpose, context: AttemptContext, acceptance: Acceptance): boolean {
  const { accepted_at, next_action, checkout_url } = context.attempt
  if (purpose.stateOf(context).status !== 'PENDING') return false
  if (accepted_at === null) return true
  if (next_action !== 'REDIRECT') return false
  // An answer that shows no page takes none away.
  return acceptance.checkout_url === ''
    ? checkout_url === '' && acceptance.next_action !== next_action
    : acceptance.checkout_url !== checkout_url
}

/** Nothing moves until the operator lets it go on: its time has not begun. */
export const isQueued = ({ answer }: GatewayReply): boolean =>
  answer.is === 'waiting' && answer.queued === true

/** For so many questions a page is asked for at short intervals: ten minutes. */
const pageAsks = 300

/** An operator may take a moment to give back what was asked back. Seconds. */
const takenBackS = 10

export function againAfterS(
  gateways: Gateways,
  { attempt, reply: { answer } }: QueriedAttempt,
  take_back?: true,
): number {
  if (take_back) return takenBackS
  const isAwaited = answer.is === 'waiting' && isPageSoon(answer) && attempt.asks < pageAsks
  if (isAwaited) return pageAskS
  return queryAgainAfterS(attempt.asks, firstAskS(gateways, attempt) ?? takenBackS)
}
