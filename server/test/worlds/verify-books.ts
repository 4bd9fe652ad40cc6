// `ledger verify` over all worlds of a stage. The holds of `hold-acts.ts` are promised to
// settlements that nobody made: they are written down first, as each hold says that they ended.

import type { Check } from '../../src/ledger/verify.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { allGroups } from '../../src/platform/places/places.ts'
import type { OwnerSql } from '../setup/database.ts'
import { feeShare } from './hold-acts.ts'

/** The checks that fail. */
export async function brokenBooks(owner: OwnerSql): Promise<Check[]> {
  await writeSettlements(owner)
  return (await verifyLedger(owner)).filter(({ ok }) => !ok)
}

async function writeSettlements(owner: OwnerSql): Promise<void> {
  await allGroups(
    owner,
    (at) => at<never[]>`
    with promised as (
      select h.*, n.how from holds h
        left join hold_ends n on n.merchant_id = h.merchant_id and n.hold_id = h.id
       where h.cause_kind = 'SETTLEMENT'
         and not exists (select 1 from settlements s
                          where s.merchant_id = h.merchant_id and s.id = h.cause_id)
    ), method as (
      insert into payout_methods (merchant_id, id, country, type, bank_name, account_number)
      select merchant_id, cause_id, country, 'BANK_ACCOUNT', 'bank', '1' from promised
      returning id
    )
    insert into settlements (merchant_id, id, environment, reference, payout_method, country,
      requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee, debited_amount,
      net_amount, currency, status, request_id, approved_at, completed_at)
    select merchant_id, cause_id, environment, cause_id::text, cause_id, country,
           amount, 'DEDUCTED', ${2n * feeShare}, ${feeShare}, ${feeShare}, amount,
           amount - ${2n * feeShare}, currency,
           case how when 'SPEND' then 'SUCCESS' when 'RELEASE' then 'CANCELLED'
                    else 'PENDING' end,
           'worlds', now(), case when how is not null then now() end
      from promised`,
  )
}
