// A merchant sets, reads and drops limits on its own payouts. A limit counts from the next payout
// on.

import { actorOf } from '../../audit/audit.ts'
import { recordAct } from '../../audit/record-act.ts'
import { formatAmount } from '../../money/format.ts'
import { type Db, inTransaction, type Sql } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/route.ts'
import { accessErrors, transportErrors } from '../../platform/http/transport-errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type PayoutLimit, wholeMerchant } from './limit.ts'
import { deleteLimit, findLimit, isLimitOfAnother, isOwnKey, upsertLimit } from './store.ts'

export type LimitWish = Readonly<{
  country: string
  currency: string
  /** Null: of the whole merchant. */
  api_key: string | null
  per_payout: bigint | null
  per_day: bigint | null
  approval_above: bigint | null
}>

/** New, or in place of the limit of the same country and key. */
export async function setLimit(db: Db, caller: Caller, wish: LimitWish): Promise<PayoutLimit> {
  const { merchant_id, environment } = caller
  const { api_key, ...figures } = wish
  return inTransaction(db, async (tx) => {
    if (
      api_key !== null &&
      !(await isOwnKey(tx, { merchant_id, environment, api_key_id: api_key }))
    ) {
      throw invalid('api_key', {
        en: 'Must be one of your keys, of this environment.',
        fr: 'Doit être une de vos clés, de cet environnement.',
      })
    }
    const limit = await upsertLimit(tx, {
      ...figures,
      merchant_id,
      environment,
      id: newId(),
      api_key_id: api_key ?? wholeMerchant,
      created_by_member: caller.member_id,
    })
    await recordAct(tx, {
      merchant_id,
      environment,
      actor: actorOf(caller),
      action: 'payout_limit.set',
      target_kind: 'payout_limit',
      target_id: limit.id,
      after: shown(limit),
    })
    return limit
  })
}

export async function getLimit(
  sql: Sql,
  { merchant_id, environment }: Caller,
  id: string,
): Promise<PayoutLimit> {
  const limit = isUuid(id) ? await findLimit(sql, { merchant_id, id }) : undefined
  if (limit?.environment === environment) return limit
  const isOthers = limit === undefined && isUuid(id) && (await isLimitOfAnother(sql, id))
  throw refuse(isOthers ? accessErrors.permission_denied : transportErrors.not_found)
}

export async function dropLimit(db: Db, caller: Caller, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const limit = await getLimit(tx, caller, id)
    await deleteLimit(tx, limit)
    await recordAct(tx, {
      merchant_id: limit.merchant_id,
      environment: limit.environment,
      actor: actorOf(caller),
      action: 'payout_limit.dropped',
      target_kind: 'payout_limit',
      target_id: limit.id,
      before: shown(limit),
    })
  })
}

const amountOf = (hundredths: bigint | null) =>
  hundredths === null ? null : formatAmount(hundredths)

const shown = (limit: PayoutLimit) => ({
  country: limit.country,
  api_key: limit.api_key_id === wholeMerchant ? null : limit.api_key_id,
  per_payout: amountOf(limit.per_payout),
  per_day: amountOf(limit.per_day),
  approval_above: amountOf(limit.approval_above),
})

export const viewLimit = (limit: PayoutLimit) => ({
  id: limit.id,
  merchant: limit.merchant_id,
  environment: limit.environment,
  currency: limit.currency,
  ...shown(limit),
  created_by_member: limit.created_by_member,
  created_at: limit.created_at.toISOString(),
  updated_at: limit.updated_at.toISOString(),
})
