// A payout that came back, as two people had asked, for the tests of the ledger: with every row
// that their laws speak of, written with the ledger's own postings.

import { gatewayAccount, type Place } from '../../src/ledger/account.ts'
import { payoutReturned, returnedAmount } from '../../src/ledger/return-postings.ts'
import type { OwnerSql } from '../setup/database.ts'
import { book, fund, gatewayId, payout, payoutFigures } from './books.ts'

/** Its operator gave its fee back, and our price nothing. */
export async function soundReturn(sql: OwnerSql, place: Place): Promise<string> {
  await fund(sql, place, 5_000_000n)
  const { id, attempt_id } = await payout(sql, place, 'SUCCESS')
  const source = gatewayAccount(place, await gatewayId(sql, 'simulator_a'), 'DISBURSE')
  const figures = { ...payoutFigures, gateway_fee_returns: true, platform_fee_returns: false }
  const lines = payoutReturned(place, source, figures)
  await book(sql, place, { cause_kind: 'RETURN', cause_id: id, attempt_id, lines })
  await sql`
    update transactions
       set return_state = 'RETURNED', returned_at = now(), version = version + 1,
           returned_amount = ${returnedAmount(figures)}, refund_changes = 1
     where id = ${id}`
  return id
}
