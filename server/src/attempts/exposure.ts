// How much may be with an account at once that is not known to have ended. Law: nothing is sent
// that would go a franc above it. Looked at after the attempt is written, so that of two at the
// same time each sees the other: both may be kept back, never both sent.

import { createHash } from 'node:crypto'
import type { Answer, GatewayReply } from '../gateways/gateway.ts'
import type { Db } from '../platform/db.ts'
import type { AttemptPlan } from './attempt.ts'
import { isAboveLimit, isMoreOpen, listExposed } from './exposure-statements.ts'

export { isAboveLimit, listExposed }

const because = 'exposure_limit'

/** Why we did not send it, the operator being ready to take it. */
export type OwnLimit = 'exposure_limit' | 'pace'

/** As with an empty float: nothing was taken, and a payout waits. */
export const limitedByUs = (detail: OwnLimit): Answer => ({
  ...{ is: 'refused', by: 'float', failure_code: 'GATEWAY_UNAVAILABLE' },
  ...{ detail, external_reference: '' },
})

/** By the detail of the answer that it was given in its place. */
export const isOwnLimit = (detail: string): boolean => detail === because || detail === 'pace'

/**
 * What is answered in its place where it may not be sent; undefined where it may. The database is
 * asked about accounts with a limit only.
 */
export async function refuseByExposure(
  db: Db,
  { gateway_id, direction, exposure_limit }: AttemptPlan,
): Promise<GatewayReply | undefined> {
  if (exposure_limit == null) return undefined
  if (!(await isMoreOpen(db, { gateway_id, direction }, exposure_limit))) return undefined
  const answer: Answer =
    direction === 'COLLECT' ? { is: 'never_sent', because } : limitedByUs(because)
  return { answer, hash: createHash('sha256').update(because).digest() }
}
