// Whom a payout would reach, as their operator says: for whoever may make it, where an account asks
// that. A merchant may ask about so many an hour and no more: names are no list to be copied. Law:
// whoever looked at a number stands in the merchant's audit log before they see what came of it.

import { actorOf, masked } from '../audit/audit.ts'
import { recordHourly } from '../audit/audit-log.ts'
import { looksUpHolder } from '../gateways/holder.ts'
import {
  type HolderDeps,
  type HolderLook,
  holderKey,
  lookUpHolder,
} from '../gateways/look-up-holder.ts'
import { isWhitelisted } from '../merchants/whitelist/is-whitelisted.ts'
import type { PaymentDeps } from '../planning/facts.ts'
import type { Plans } from '../planning/plan-routes.ts'
import type { Caller } from '../platform/http/route.ts'
import { countOrRefuse } from '../platform/throttle/throttle.ts'

export type RecipientDeps = Pick<PaymentDeps, 'gateways'> &
  HolderDeps &
  Readonly<{
    /** Counts what came of each look, by the account that it was at. */
    holderSeen: (gateway: string, outcome: HolderLook['outcome']) => void
  }>

export type QuotedRecipient = Readonly<{
  active: boolean
  /** Null: the operator names nobody. */
  name: string | null
}>

/** Of one merchant in one environment, whoever asks for it. */
const hourly_most = 120
const hour_s = 3600

/**
 * Null where nobody is asked, or the operator does not say in time. Refuses with `rate_limited`
 * what is more than an hour allows.
 */
export async function recipientOf(
  deps: RecipientDeps,
  caller: Caller,
  { plans, network, msisdn }: Readonly<{ plans: Plans; network: string; msisdn: string }>,
): Promise<QuotedRecipient | null> {
  const at = plans
    .map(({ gateway_id, gateway_code }) => ({
      ...{ gateway_id, gateway_code },
      gateway: deps.gateways.get(gateway_code),
    }))
    .find(({ gateway }) => gateway !== undefined && looksUpHolder(gateway))
  if (at?.gateway === undefined || !looksUpHolder(at.gateway)) return null
  if (!(await mayPayOut(deps, caller))) return null
  const { merchant_id, environment } = caller
  await countOrRefuse(
    { db: deps.db, macs: deps.keyring },
    {
      act: 'holder-lookup',
      target: `${merchant_id} ${environment}`,
      ...{ most: hourly_most, within_s: hour_s },
    },
  )
  const { gateway, gateway_id, gateway_code } = at
  const { holder, outcome } = await lookUpHolder(deps, { gateway, gateway_id }, msisdn)
  deps.holderSeen(gateway_code, outcome)
  const name = holder?.name ?? null
  await noteLookUp(deps, caller, { network, msisdn, named: name !== null })
  return holder === undefined ? null : { active: holder.active, name }
}

type LookUp = Readonly<{ network: string; msisdn: string; named: boolean }>

/**
 * One line for each member or key, number and hour, and one more when a name came after none: a
 * form asks anew with each change. A name that was kept is seen as one that was asked for, so the
 * lines do not say whether others looked before.
 */
function noteLookUp(
  deps: HolderDeps,
  caller: Caller,
  { network, msisdn, named }: LookUp,
): Promise<void> {
  const { merchant_id, environment } = caller
  const actor = actorOf(caller)
  const key = ['recipient', merchant_id, environment, actor.id, holderKey(deps, msisdn), named]
  return recordHourly(deps.db, key.join(' '), {
    ...{ merchant_id, environment, actor },
    action: 'recipient.looked_up',
    target_kind: 'recipient',
    target_id: masked(msisdn),
    after: { network, named },
  })
}

/** As the call itself would let them, but that a second factor may have been given long ago. */
async function mayPayOut({ db }: Pick<HolderDeps, 'db'>, caller: Caller): Promise<boolean> {
  const { session, scope, read_only, merchant_id, ip, environment } = caller
  if (session !== null) {
    const isProven = environment !== 'LIVE' || session.second_factor !== 'NONE'
    return isProven && session.permissions.includes('payouts')
  }
  if (read_only === true || (scope !== 'PAYOUT' && scope !== 'BOTH')) return false
  return isWhitelisted(db, merchant_id, ip)
}
