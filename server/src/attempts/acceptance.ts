// A gateway has an attempt and waits for the payer: what of its answer is kept, and the statement
// that keeps it with the gateway's reference, when nothing else has to be written with it.

import { firstAskS } from '../gateways/callback-times.ts'
import type { Answer, Direction, Gateways } from '../gateways/gateway.ts'
import { type Db, retryOnDeadlock } from '../platform/db.ts'
import { homeOf } from '../platform/places/places.ts'
import { composed, type Gate, type Part, selectIds } from '../platform/sql.ts'
import type { AttemptKeyOf, AttemptPlan } from './attempt.ts'
import { keepMemos, type SealedMemo, type Seals, sealMemo } from './memo-statements.ts'
import { type Accepted, acceptAttempts } from './statements.ts'

export type WaitingAnswer = Extract<Answer, { is: 'waiting' }>

/** An attempt as a gateway took it. */
export type Acceptance = Omit<Accepted, 'gate_id'>

/** An attempt that only its writer has sent. */
export const sentOnce = (merchant_id: string, { id, gateway_code, direction }: AttemptPlan) => ({
  merchant_id,
  id,
  gateway_code,
  direction,
  lease_no: 1n,
})

export function acceptanceOf(
  deps: Readonly<{ gateways: Gateways; seals?: Seals | undefined }>,
  attempt: AttemptKeyOf &
    Readonly<{ gateway_code: string; direction: Direction; lease_no: bigint }>,
  waiting: WaitingAnswer,
): Acceptance {
  const { memo } = waiting
  return {
    merchant_id: attempt.merchant_id,
    id: attempt.id,
    lease_no: attempt.lease_no,
    external_reference: waiting.external_reference,
    next_action: nextActionOf(waiting),
    checkout_url: typeof waiting.next === 'object' ? waiting.next.redirect_to : '',
    ask_after_s: isPageSoon(waiting) ? pageAskS : (firstAskS(deps.gateways, attempt) ?? 10),
    ...(memo === undefined ? {} : { sealed_memo: sealMemo(deps.seals, attempt, memo) }),
  }
}

/** The payer's page is not there yet; it is asked for at short intervals. Seconds. */
export const pageAskS = 2
export const isPageSoon = ({ next }: WaitingAnswer): boolean => next === 'page_soon'

/** `REDIRECT` without an address: the page comes. */
export function nextActionOf(waiting: WaitingAnswer) {
  if (waiting.next === 'otp') return 'ENTER_OTP' as const
  return waiting.next === 'payer' ? ('APPROVE_ON_PHONE' as const) : ('REDIRECT' as const)
}

/** `noted` keeps the gateway's reference where the attempt's purpose is; without it nothing is. */
export async function acceptAttempt(db: Db, noted: Part, attempt: Accepted): Promise<void> {
  const accepted = acceptAttempts(db, [attempt], { when: noted })
  const parts = [noted, accepted, ...memoParts(db, [attempt], { when: accepted })]
  await retryOnDeadlock(() =>
    composed(homeOf(db, attempt.merchant_id), parts, selectIds(db, accepted)),
  )
}

/** None where nothing is to be remembered, which is so for most operators. */
export function memoParts(db: Db, all: readonly Acceptance[], gate: Gate): Part<never>[] {
  const memos = all.flatMap(({ merchant_id, id, sealed_memo }): SealedMemo[] =>
    sealed_memo === undefined ? [] : [{ merchant_id, id, sealed_memo }],
  )
  return memos.length === 0 ? [] : [keepMemos(db, memos, gate)]
}
