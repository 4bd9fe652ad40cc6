// A payment and its refund for the tests of the ledger, with every row that their laws speak of,
// written with the ledger's own postings.

import type { Place } from '../../src/ledger/account.ts'
import * as postings from '../../src/ledger/postings.ts'
import { refundSuccess } from '../../src/ledger/refund-postings.ts'
import { newId } from '../../src/platform/ids.ts'
import type { OwnerSql } from '../setup/database.ts'
import { book, payin } from './books.ts'

/** 4 000 of a payment go back by its operator, the fee kept. */
export async function soundRefund(sql: OwnerSql, place: Place): Promise<string> {
  const { merchant_id, environment, country, currency } = place
  const payment = await payin(sql, place)
  const [id, attempt_id, amount] = [newId(), newId(), 400_000n]
  const fees = { gateway_fee: 0n, platform_fee: 0n }
  await sql`
    insert into attempts (merchant_id, id, environment, refund_id, refund_of, direction, priority,
      gateway_id, gateway_code, route_id, network_id, network_code, country_code,
      requested_amount, fee_charge_mode, client_fee, gateway_fee, platform_fee, debited_amount,
      net_amount, currency, status, gateway_ended, our_key, send_deadline, asking_until,
      finished_at)
    select merchant_id, ${attempt_id}, environment, ${id}, id, 'DISBURSE', 1, gateway_id,
           gateway_code, route_id, network_id, network_code, country_code, ${amount}, 'ADD_ON', 0,
           0, 0, ${amount}, ${amount}, currency, 'SUCCESS', true, ${attempt_id}, now(), now(),
           now()
      from attempts where merchant_id = ${merchant_id} and id = ${payment.attempt_id}`
  await sql`
    insert into refunds ${sql({
      ...fees,
      merchant_id,
      id,
      environment,
      payment_id: payment.id,
      status: 'SUCCESS',
      version: 2,
      country_code: country,
      amount,
      currency,
      held_amount: amount,
      method: 'OPERATOR',
      refund_of: payment.attempt_id,
      network_code: 'wave_sn',
      settled_attempt: attempt_id,
      request_id: 'test',
      ended_at: new Date(),
    })}`
  await sql`
    update transactions
       set refund_reserved = ${amount}, refunded_amount = ${amount}, refund_changes = 1,
           version = version + 1
     where merchant_id = ${merchant_id} and id = ${payment.id}`
  const hold = { merchant_id, id, environment, country, currency, amount }
  await sql`insert into holds ${sql({ ...hold, cause_kind: 'REFUND', cause_id: id })}`
  await book(sql, place, { cause_kind: 'HOLD', cause_id: id, lines: postings.hold(place, amount) })
  await sql`
    insert into hold_ends ${sql({ merchant_id, hold_id: id, how: 'SPEND', environment })}`
  const [{ gateway_id } = { gateway_id: '' }] = await sql<{ gateway_id: string }[]>`
    select gateway_id from attempts where id = ${attempt_id}`
  const lines = refundSuccess(place, gateway_id, {
    ...fees,
    amount,
    fee: 0n,
    returned_gateway_fee: 0n,
    returned_platform_fee: 0n,
    is_returned_by_operator: false,
    gateway_cost_excess: 0n,
    held_amount: amount,
    by: 'COLLECT',
  })
  await book(sql, place, { cause_kind: 'REFUND', cause_id: id, attempt_id, lines })
  return id
}
