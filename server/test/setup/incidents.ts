// Contradictions of operators, made as they come, and the two people who end them.

import { expect } from 'vitest'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { findAttempt } from '../../src/attempts/attempt-statements.ts'
import type { AttemptContext } from '../../src/attempts/purpose.ts'
import type { Answer } from '../../src/gateways/gateway.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { transactionPurpose } from '../../src/transactions/transaction-purpose.ts'
import { type Json, newPayer, type Shop, type SignedInCaller, type TestApp } from '../harness.ts'

export const booksAgree = async (app: TestApp) =>
  expect((await verifyLedger(app.owner)).filter(({ ok }) => !ok)).toEqual([])

export async function openShop(app: TestApp) {
  const shop = await app.shop()
  await app.owner`
    insert into ip_whitelist (merchant_id, id, ip_address)
    values (${shop.merchant_id}, gen_random_uuid(), '127.0.0.1')`
  return shop
}

export const fund = (shop: Shop, amount: string) =>
  shop.post('/sandbox/balances/', { country: 'BJ', amount })

export const payout = (shop: Shop, magic: string) =>
  shop.post('/payouts/initialize/', {
    amount: '10000',
    currency: 'XOF',
    country: 'BJ',
    method: 'mtn_bj',
    recipient: { msisdn: newPayer(magic).phone },
    customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
  })

export const deps = (app: TestApp) => ({ db: app.service.db, wake: () => undefined })

/** What the gateway says of an attempt of ours, when we ask. */
export async function receive(
  app: TestApp,
  { shop, attempt_id }: { shop: Shop; attempt_id: string },
  answer: Answer,
  seen?: AttemptContext,
) {
  const key = { merchant_id: shop.merchant_id, id: attempt_id }
  const attempt = await findAttempt(app.service.db, key)
  if (attempt === undefined) throw new Error('no attempt')
  const callback = {
    merchant_id: shop.merchant_id,
    attempt_id,
    answer,
    hash: Buffer.alloc(32),
    triggered_by: 'POLLER',
    evidence_kind: 'STATUS_ANSWER',
    request_id: 'test',
    status_at_query: attempt.status,
    gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
  } as const
  await applyAnswer(deps(app), transactionPurpose, callback, seen)
}

export const confirmed = (hundredths: bigint, currency = 'XOF'): Answer => ({
  is: 'confirmed',
  external_reference: 'OP-1',
  amount: hundredths,
  currency,
})

export const refused: Answer = {
  is: 'refused',
  by: 'gateway',
  failure_code: 'GATEWAY_REFUSED',
  detail: 'taken back',
  external_reference: 'OP-1',
}

export const attemptsOf = async (shop: Shop, id: string): Promise<Json[]> =>
  (await shop.get(`/transactions/${id}/`)).data.attempts

export async function incidentOf(app: TestApp, shop: Shop): Promise<Json> {
  const rows = await app.owner`
    select id, type, amount, suspense_side from incidents
     where merchant_id = ${shop.merchant_id} and status = 'OPEN'`
  expect(rows).toHaveLength(1)
  return rows[0]
}

export const amountOf = ({ amount }: Json): string => (Number(amount) / 100).toFixed(2)

export const propose = (who: Shop, incident: Json, resolution: string) =>
  who.post(`/admin/incidents/${incident.id}/resolve/`, {
    resolution,
    amount: amountOf(incident),
    note: 'ticket 4711',
  })

export const confirm = (who: Shop, incident: Json, resolution?: string) =>
  who.post(`/admin/incidents/${incident.id}/confirm/`, { resolution })

export const balance = async (shop: Shop) => Number((await shop.balance('BJ')).available_amount)

/** Both people say so; how much the merchant then has more, and owes. */
export async function resolved(
  app: TestApp,
  { first, second }: { first: SignedInCaller; second: SignedInCaller },
  shop: Shop,
  resolution: string,
) {
  const before = await balance(shop)
  const incident = await incidentOf(app, shop)
  expect((await propose(first, incident, resolution)).data).toMatchObject({ status: 'OPEN' })
  const done = await confirm(second, incident, resolution)
  expect(done.data).toMatchObject({ status: 'RESOLVED', resolution })
  await booksAgree(app)
  const [debt] = await app.owner<{ owed: string }[]>`
    select coalesce(sum(e.amount) filter (where d.kind = 'merchant_debt'), 0)::text as owed
      from ledger_entries e
      join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
     where e.merchant_id = ${shop.merchant_id}`
  return { more: (await balance(shop)) - before, owed: Number(debt?.owed) / 100 }
}

export type Made = { shop: Shop; fee: number }

export const openings: Readonly<Record<string, (app: TestApp) => Promise<Made>>> = {
  async 'another amount came'(app) {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('04') })
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(990_000n))
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payment was taken back'(app) {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000' })
    await shop.becomes(data.id, 'SUCCESS')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, refused)
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payment was paid twice'(app) {
    const shop = await openShop(app)
    const { data } = await shop.pay({ amount: '10000', customer: newPayer('01') })
    await shop.becomes(data.id, 'FAILED')
    // The second time by a number of which the operator says nothing by itself.
    const { phone } = newPayer('04')
    await app.owner`update transactions set operation_msisdn = ${phone} where id = ${data.id}`
    await shop.post(`/payments/${data.id}/retry/`, {})
    const [one, two] = await attemptsOf(shop, data.id)
    const wire = BigInt(Math.round(Number(one.debited_amount) * 100))
    await receive(app, { shop, attempt_id: two.id }, confirmed(wire))
    await receive(app, { shop, attempt_id: one.id }, confirmed(wire))
    return { shop, fee: Number(one.client_fee) }
  },
  async 'a payout was paid after its release'(app) {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(
      app,
      { shop, attempt_id: attempt.id },
      confirmed(BigInt(Math.round(Number(attempt.net_amount) * 100))),
    )
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payout came back after it had succeeded'(app) {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '10')
    await shop.becomes(data.id, 'SUCCESS')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, refused)
    return { shop, fee: Number(attempt.client_fee) }
  },
  async 'a payout paid another amount'(app) {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '04')
    const [attempt] = await attemptsOf(shop, data.id)
    await receive(app, { shop, attempt_id: attempt.id }, confirmed(900_000n))
    return { shop, fee: Number(attempt.client_fee) }
  },
}

export const open = async (app: TestApp, name: string): Promise<Made> => {
  const make = openings[name]
  if (make === undefined) throw new Error(name)
  const made = await make(app)
  await booksAgree(app)
  return made
}
