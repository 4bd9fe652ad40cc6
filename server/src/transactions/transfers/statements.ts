// The transaction of a transfer, written in the database transaction that books it. Its status
// never moves: money 2 knows it in one status only.

import type { Tx } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { figuresOf, type Transferred } from './transferred.ts'

export async function insertTransferred(tx: Tx, row: Transferred): Promise<void> {
  const figures = figuresOf(row)
  const rows = await tx`
    insert into transactions (merchant_id, id, environment, reference, transaction_type, status,
      country_id, country_code, description, requested_amount, fee_charge_mode, client_fee,
      gateway_fee, platform_fee, debited_amount, net_amount, currency, ip_address, request_id,
      api_key_id, member_id)
    select ${row.merchant_id}, ${row.id}, ${row.environment}, ${row.reference}, 'TRANSFERT',
           'SUCCESS', c.id, c.iso_code, ${row.description}, ${figures.requested_amount},
           ${figures.fee_charge_mode}, ${figures.client_fee}, ${figures.gateway_fee},
           ${figures.platform_fee}, ${figures.debited_amount}, ${figures.net_amount},
           ${row.currency}, ${row.ip_address}, ${row.request_id}, ${row.api_key_id},
           ${row.member_id}
      from countries c
     where c.iso_code = ${row.country_code}`
  assert(rows.count === 1, `no country ${row.country_code} of transfer ${row.id}`)
}
