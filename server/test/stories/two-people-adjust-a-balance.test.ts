// A manual adjustment is asked for by one member of staff and booked by another's word, once, to
// the right accounts; one person alone books nothing, however often they try, and no balance falls
// below zero.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyAnswer } from '../../src/attempts/apply-answer.ts'
import { transactionPurpose } from '../../src/transactions/transaction-purpose.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { refusedBy } from '../setup/scripted-operator.ts'
import { brokenLaws, richSettler, type Settler, settlerOf } from '../setup/settling.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'SUPERADMIN' })
})
afterAll(async () => {
  const broken = await brokenLaws(app)
  await app.stop()
  expect(broken).toEqual([])
})

const answerOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const reason = 'A fee was taken twice: ticket 4711'

/** A merchant with 10 000 in Bénin, and the id of that balance. */
async function rich(): Promise<{ shop: Settler; balance: string }> {
  const shop = await richSettler(app, '10000')
  return { shop, balance: await balanceOf(shop) }
}

const balanceOf = async (shop: Shop): Promise<string> =>
  (await shop.get('/merchant-balances/')).data.results[0].id

type AdjustmentRequest = Readonly<Record<string, unknown>>
const ask = (by: SignedInCaller, balance: string, request: AdjustmentRequest = {}, key?: string) =>
  untilServed(() =>
    by.post(
      '/admin/adjustments/',
      { balance, kind: 'CREDIT_MERCHANT', amount: '2500', reason, ...request },
      key === undefined ? {} : { 'idempotency-key': key },
    ),
  )
const confirm = (by: SignedInCaller, id: string) =>
  untilServed(() => by.post(`/admin/adjustments/${id}/confirm/`))
const decline = (by: SignedInCaller, id: string, body: object = { reason: 'It was right.' }) =>
  untilServed(() => by.post(`/admin/adjustments/${id}/refuse/`, body))

async function requested(balance: string, request: AdjustmentRequest = {}): Promise<Json> {
  const reply = await ask(first, balance, request)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.data
}

/** What was booked for it, as kinds of account. */
const bookedFor = (id: string): Promise<Json> => app.owner`
  select d.kind as debit, c.kind as credit, e.amount / 100 as amount
    from ledger_entries e
    join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
    join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
   where e.cause_kind = 'ADJUSTMENT' and e.cause_id = ${id}`

describe('an adjustment', () => {
  it('that somebody asked for who was switched off since is not booked, and can be refused', async () => {
    const { shop, balance } = await rich()
    const asker = await app.staff({ role: 'FINANCE' })
    const { data } = await ask(asker, balance)
    const off = await second.call('PATCH', `/admin/staff/${asker.person_id}/`, {
      body: JSON.stringify({ disabled: true }),
      headers: { 'content-type': 'application/json' },
    })
    expect(off.status).toBe(200)
    expect(answerOf(await confirm(first, data.id))).toEqual([409, 'proposer_gone'])
    expect(await bookedFor(data.id)).toHaveLength(0)
    expect((await shop.balance('BJ')).available_amount).toBe('10000.00')
    expect((await decline(first, data.id)).data.status).toBe('REFUSED')
  })

  it.each([
    ['CREDIT_MERCHANT', '12500.00', 'losses', 'available'],
    ['CHARGE_MERCHANT', '7500.00', 'available', 'losses'],
  ])('%s is booked when another confirms, and not before', async (kind, after, debit, credit) => {
    const { shop, balance } = await rich()
    const { id, reference, ...rest } = await requested(balance, { kind })
    expect(reference).toMatch(/^ADJ-\d{8}-[2-9A-Z]{10}$/)
    expect(rest).toEqual({
      merchant: shop.merchant_id,
      merchant_name: expect.stringMatching(/^Shop /),
      environment: 'SANDBOX',
      country: 'BJ',
      currency: 'XOF',
      kind,
      amount: '2500.00',
      reason,
      status: 'PENDING',
      asked_by: first.person_id,
      decided_by: null,
      decided_at: null,
      refusal_reason: '',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect(await shop.sums()).toEqual(['10000.00', '0.00'])
    expect(answerOf(await confirm(first, id))).toEqual([409, 'second_person_required'])
    expect(await shop.sums()).toEqual(['10000.00', '0.00'])
    expect(await bookedFor(id)).toEqual([])
    const confirmed = await confirm(second, id)
    expect(confirmed.data).toMatchObject({
      id,
      status: 'BOOKED',
      decided_by: second.person_id,
      decided_at: expect.any(String),
    })
    expect(await shop.sums()).toEqual([after, '0.00'])
    expect(await bookedFor(id)).toEqual([{ debit, credit, amount: 2500n }])
    expect(answerOf(await confirm(second, id))).toEqual([409, 'adjustment_decided'])
    expect(answerOf(await decline(second, id))).toEqual([409, 'adjustment_decided'])
    const acts: Json = await app.owner`
      select action, actor_id, environment, target_kind, before, after
        from audit_logs where target_id = ${id} order by id`
    expect(acts).toEqual([
      {
        action: 'adjustment.asked',
        actor_id: first.person_id,
        environment: 'SANDBOX',
        target_kind: 'adjustment',
        before: null,
        after: { reference, kind, amount: '2500.00', currency: 'XOF', reason },
      },
      {
        action: 'adjustment.booked',
        actor_id: second.person_id,
        environment: 'SANDBOX',
        target_kind: 'adjustment',
        before: { status: 'PENDING', asked_by: first.person_id },
        after: { status: 'BOOKED', kind, amount: '2500.00' },
      },
    ])
  })

  it('stands in the log of its merchant, without who of the staff asked for it', async () => {
    const { shop, balance } = await rich()
    const { id } = await requested(balance)
    await confirm(second, id)
    const owner = await app.member({ merchant_id: shop.merchant_id, second_factor: 'FRESH' })
    const { data } = await owner.get(`/audit-logs/?target_id=${id}`)
    expect(data.results).toMatchObject([
      { action: 'adjustment.booked', after: { status: 'BOOKED' } },
      { action: 'adjustment.asked' },
    ])
    expect(data.results[0].before).toEqual({ status: 'PENDING' })
    const file = await fetch(`${app.url}/api/v1/audit-logs/export/?target_id=${id}`, {
      headers: { authorization: `Bearer ${owner.key}`, 'x-merchant': owner.merchant_id },
    })
    const text = await file.text()
    expect(text).toContain('adjustment.booked')
    expect(text).not.toContain(first.person_id)
    const seen = (await first.get(`/admin/audit-logs/?target_id=${id}`)).data.results
    expect(seen[0].before).toEqual({ status: 'PENDING', asked_by: first.person_id })
  })

  it('that is refused, or taken back by whoever asked, books nothing for ever', async () => {
    const { shop, balance } = await rich()
    for (const by of [second, first]) {
      const { id } = await requested(balance)
      const refused = await decline(by, id, { reason: ' It was right. ' })
      expect([refused.status, refused.data]).toMatchObject([
        200,
        { status: 'REFUSED', refusal_reason: 'It was right.', decided_by: by.person_id },
      ])
      expect(answerOf(await confirm(second, id))).toEqual([409, 'adjustment_decided'])
      expect(await bookedFor(id)).toEqual([])
    }
    expect(await shop.sums()).toEqual(['10000.00', '0.00'])
  })

  it('never takes a balance below zero, and waits when it would', async () => {
    const { shop, balance } = await rich()
    const { id } = await requested(balance, { kind: 'CHARGE_MERCHANT', amount: '10001' })
    expect(answerOf(await confirm(second, id))).toEqual([422, 'insufficient_balance'])
    expect((await second.get(`/admin/adjustments/${id}/`)).data.status).toBe('PENDING')
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '1' })
    expect((await confirm(second, id)).status).toBe(200)
    expect(await shop.sums()).toEqual(['0.00', '0.00'])
  })

  it('is booked on a frozen balance: the freeze binds the merchant', async () => {
    const { shop, balance } = await rich()
    await first.post(`/admin/balances/${balance}/freeze/`, { reason })
    const { id } = await requested(balance, { kind: 'CHARGE_MERCHANT' })
    expect((await confirm(second, id)).status).toBe(200)
    expect(await shop.sums()).toEqual(['7500.00', '0.00'])
  })

  it('is booked once, of twenty who confirm and refuse at the same time', async () => {
    const { shop, balance } = await rich()
    const { id } = await requested(balance)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        at % 2 === 0 ? confirm(second, id) : decline(second, id),
      ),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    const { status } = (await second.get(`/admin/adjustments/${id}/`)).data
    const isBooked = status === 'BOOKED'
    expect(await bookedFor(id)).toHaveLength(isBooked ? 1 : 0)
    expect(await shop.sums()).toEqual([isBooked ? '12500.00' : '10000.00', '0.00'])
  })
})

describe('a double press', () => {
  it('with one Idempotency-Key is one adjustment', async () => {
    const { balance } = await rich()
    const key = randomUUID()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => ask(first, balance, {}, key)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map(({ data }) => data.id)).size).toBe(1)
    const isReplayed = replies.map(({ headers }) => headers.get('idempotent-replayed'))
    expect(isReplayed.filter((value) => value === null)).toHaveLength(1)
    const { id } = replies[0]?.data ?? {}
    await confirm(second, id)
    const later = await ask(first, balance, {}, key)
    expect(later.data).toMatchObject({ id, status: 'BOOKED' })
    const [counted] = await app.owner`
      select count(*)::int as acts from audit_logs
       where target_id = ${id} and action = 'adjustment.asked'`
    expect(counted?.['acts']).toBe(1)
  })

  it.each([[{ amount: '2501' }], [{ kind: 'CHARGE_MERCHANT' }], [{ reason: 'Another' }]])(
    'with the same key and %j is a conflict; another person has keys of their own',
    async (request) => {
      const { balance } = await rich()
      const key = randomUUID()
      const { data } = await ask(first, balance, {}, key)
      expect(answerOf(await ask(first, balance, request, key))).toEqual([
        409,
        'idempotency_conflict',
      ])
      const others = await ask(second, balance, request, key)
      expect([others.status, others.data.id === data.id]).toEqual([201, false])
    },
  )

  it('without a key is two, and each needs its second person', async () => {
    const { shop, balance } = await rich()
    expect((await requested(balance)).id).not.toBe((await requested(balance)).id)
    expect(await shop.sums()).toEqual(['10000.00', '0.00'])
  })
})

describe('a merchant’s debt', () => {
  /** A payment of 10 000 was taken back when the money was set aside: all of it is owed. */
  async function indebted() {
    const shop = settlerOf(app, await app.shop())
    const { data: payment } = await shop.pay({ amount: '10000' })
    await shop.becomes(payment.id, 'SUCCESS')
    const balance = await balanceOf(shop)
    await first.post(`/admin/balances/${balance}/freeze/`, { reason, amount: '10000' })
    const incident = await takenBack(shop, payment.id)
    const body = { resolution: 'CHARGE_MERCHANT', amount: incident.amount, note: 'Their letter' }
    const proposed = await first.post(`/admin/incidents/${incident.id}/resolve/`, body)
    expect(proposed.status, JSON.stringify(proposed.body)).toBe(200)
    expect((await second.post(`/admin/incidents/${incident.id}/confirm/`)).status).toBe(200)
    expect(await shop.sums()).toEqual(['0.00', '0.00'])
    return { shop, balance }
  }

  /** The operator says so when we ask. */
  async function takenBack({ merchant_id }: Shop, payment_id: string): Promise<Json> {
    const [attempt] = await app.owner`
      select id from attempts where transaction_id = ${payment_id}`
    await applyAnswer({ db: app.service.db, wake: () => undefined }, transactionPurpose, {
      merchant_id,
      attempt_id: attempt?.['id'],
      answer: refusedBy('gateway'),
      hash: Buffer.alloc(32),
      triggered_by: 'POLLER',
      evidence_kind: 'STATUS_ANSWER',
      request_id: 'test',
      status_at_query: 'SUCCESS',
      gateway: { create_is_idempotent: true, not_found_grace_s: 900 },
    })
    const [incident] = await app.owner`
      select id, (amount / 100)::text as amount from incidents
       where merchant_id = ${merchant_id}`
    return incident
  }

  it('is paid out of what they have, and given up, never beyond what they owe', async () => {
    const { shop, balance } = await indebted()
    const collect = await requested(balance, { kind: 'COLLECT_DEBT', amount: '4000' })
    expect(answerOf(await confirm(second, collect.id))).toEqual([422, 'insufficient_balance'])
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '5000' })
    expect((await confirm(second, collect.id)).status).toBe(200)
    expect(await shop.sums()).toEqual(['1000.00', '0.00'])
    const much = await requested(balance, { kind: 'WRITE_OFF_DEBT', amount: '6001' })
    expect(answerOf(await confirm(second, much.id))).toEqual([422, 'debt_exceeded'])
    const rest = await Promise.all(
      Array.from({ length: 5 }, () =>
        requested(balance, { kind: 'WRITE_OFF_DEBT', amount: '6000' }),
      ),
    )
    const given = await Promise.all(rest.map(({ id }) => confirm(second, id)))
    expect(given.map(answerOf).toSorted()).toEqual([
      [200, undefined],
      ...Array(4).fill([422, 'debt_exceeded']),
    ])
    expect(await shop.sums()).toEqual(['1000.00', '0.00'])
    const booked = await bookedFor(collect.id)
    expect(booked).toEqual([{ debit: 'available', credit: 'merchant_debt', amount: 4000n }])
    const none = await requested(balance, { kind: 'COLLECT_DEBT', amount: '1' })
    expect(answerOf(await confirm(second, none.id))).toEqual([422, 'debt_exceeded'])
  })

  it('is summed without reading the history, for which their payments would wait', async () => {
    const { shop, balance } = await indebted()
    const rows = 20_000
    await app.owner`
      insert into ledger_entries (merchant_id, id, environment, country, debit_account,
        credit_account, amount, currency, cause_kind, cause_id, line)
      select ${shop.merchant_id}, gen_random_uuid(), 'SANDBOX', 'BJ', gen_random_uuid(),
             gen_random_uuid(), 100, 'XOF', 'TRANSACTION', gen_random_uuid(), 1
        from generate_series(1, ${rows})`
    await app.owner`analyze ledger_entries`
    const fetched = async () => {
      // A backend tells what it has read when it has rested for a second.
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      const [row] = await app.owner<{ n: number }[]>`
        select (idx_tup_fetch + seq_tup_read)::int as n from pg_stat_user_tables
         where relname = 'ledger_entries'`
      return row?.n ?? 0
    }
    const proposal = await requested(balance, { kind: 'WRITE_OFF_DEBT', amount: '1' })
    const before = await fetched()
    expect((await confirm(second, proposal.id)).status).toBe(200)
    expect((await fetched()) - before).toBeLessThan(rows / 10)
    await app.owner`
      delete from ledger_entries
       where merchant_id = ${shop.merchant_id} and cause_kind = 'TRANSACTION'
         and currency = 'XOF' and amount = 100`
  })
})

describe('who and what is refused', () => {
  it.each([
    [{ balance: 'x' }, ['balance']],
    [{ balance: undefined }, ['balance']],
    [{ balance: randomUUID() }, ['balance']],
    [{ kind: 'REFUND_PAYER' }, ['kind']],
    [{ kind: undefined }, ['kind']],
    [{ reason: undefined }, ['reason']],
    [{ reason: '   ' }, ['reason']],
    [{ reason: 'x'.repeat(501) }, ['reason']],
    [{ amount: undefined }, ['amount']],
    [{ amount: '0' }, ['amount']],
    [{ amount: '-5' }, ['amount']],
    [{ amount: '5.50' }, ['amount']],
    [{ amount: true }, ['amount']],
    [{ amount: 'x', kind: 'x', reason: '' }, ['amount', 'kind', 'reason']],
  ])('%j: 400', async (request, fields) => {
    const { balance } = await rich()
    expect(fieldsOf(await ask(first, balance, request))).toEqual([400, fields])
  })

  it('an Idempotency-Key that is empty or too long is 400 on the header', async () => {
    const { balance } = await rich()
    for (const key of ['', 'k'.repeat(256)]) {
      expect(fieldsOf(await ask(first, balance, {}, key))).toEqual([400, ['Idempotency-Key']])
    }
  })

  it('a number is an amount too', async () => {
    const { balance } = await rich()
    expect((await requested(balance, { amount: 2500 })).amount).toBe('2500.00')
  })

  it('others of the staff, an old second factor and merchants ask for nothing', async () => {
    const { shop, balance } = await rich()
    const { id } = await requested(balance)
    for (const role of ['SUPPORT', 'OPERATIONS'] as const) {
      const other = await app.staff({ role })
      expect(answerOf(await ask(other, balance))).toEqual([403, 'permission_denied'])
      expect(answerOf(await confirm(other, id))).toEqual([403, 'permission_denied'])
      expect(answerOf(await decline(other, id))).toEqual([403, 'permission_denied'])
      expect((await other.get(`/admin/adjustments/${id}/`)).status).toBe(200)
    }
    const stale = await app.staff({ role: 'FINANCE' })
    await app.owner`
      update sessions set totp_at = now() - interval '11 minutes'
       where person_id = ${stale.person_id}`
    expect(answerOf(await confirm(stale, id))).toEqual([403, 'totp_required'])
    expect(answerOf(await shop.post('/admin/adjustments/'))[0]).toBeGreaterThanOrEqual(401)
    expect(await bookedFor(id)).toEqual([])
  })

  it('what is not there, or of the other environment, is not found', async () => {
    const { balance } = await rich()
    const { id } = await requested(balance)
    const live = { 'x-environment': 'LIVE' }
    for (const path of [id, randomUUID(), 'x']) {
      const headers = path === id ? live : {}
      expect(answerOf(await second.get(`/admin/adjustments/${path}/`, headers))[0]).toBe(404)
      const at = `/admin/adjustments/${path}`
      expect(answerOf(await second.post(`${at}/confirm/`, {}, headers))).toEqual([404, 'not_found'])
      expect(answerOf(await second.post(`${at}/refuse/`, { reason }, headers))).toEqual([
        404,
        'not_found',
      ])
    }
    expect(fieldsOf(await decline(second, id, {}))).toEqual([400, ['reason']])
    expect(fieldsOf(await decline(second, id, { reason: ' ' }))).toEqual([400, ['reason']])
    const elsewhere = await first.post(
      '/admin/adjustments/',
      { balance, kind: 'CREDIT_MERCHANT', amount: '1', reason },
      live,
    )
    expect(fieldsOf(elsewhere)).toEqual([400, ['balance']])
  })
})

describe('the list', () => {
  it('shows all merchants’ of the environment, the newest first, and filters', async () => {
    const [one, two] = [await rich(), await rich()]
    const a = await requested(one.balance)
    const b = await requested(one.balance, { kind: 'CHARGE_MERCHANT', amount: '7' })
    const c = await requested(two.balance)
    await confirm(second, b.id)
    const ids = async (query: string, headers = {}) => {
      const { data } = await second.get(`/admin/adjustments/${query}`, headers)
      return data.results.map((row: Json) => row.id)
    }
    const of = `merchant=${one.shop.merchant_id}`
    expect((await ids('')).slice(0, 3)).toEqual([c.id, b.id, a.id])
    expect(await ids(`?${of}`)).toEqual([b.id, a.id])
    expect(await ids(`?${of}&ordering=created_at`)).toEqual([a.id, b.id])
    expect(await ids(`?${of}&ordering=amount`)).toEqual([b.id, a.id])
    expect(await ids(`?${of}&status=PENDING`)).toEqual([a.id])
    expect(await ids(`?${of}&kind=CHARGE_MERCHANT&country=bj`)).toEqual([b.id])
    expect(await ids(`?${of}&country=CM`)).toEqual([])
    expect(await ids('', { 'x-environment': 'LIVE' })).toEqual([])
    const page = await second.get(`/admin/adjustments/?${of}&page_size=1&page=2`)
    expect(page.data).toMatchObject({ count: 2, next: null, results: [{ id: a.id }] })
    const wrong = await second.get('/admin/adjustments/?status=x&kind=y&merchant=z&ordering=q')
    expect(fieldsOf(wrong)).toEqual([400, ['kind', 'merchant', 'ordering', 'status']])
  })
})
