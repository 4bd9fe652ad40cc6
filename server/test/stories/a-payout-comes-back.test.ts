// The money of a payout that had succeeded comes back: two of the staff ask its operator for it, or
// the operator says so first, or before it had ended. It is the merchant's again once, whoever says
// it, however often and at the same moment; and its status stays what it was.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../../src/gateways/gateway.ts'
import { inTransaction } from '../../src/platform/db.ts'
import { failReversal } from '../../src/transactions/returns/statements.ts'
import {
  eventually,
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { eventsAbout } from '../setup/events.ts'
import {
  attemptsOf,
  booksAgree,
  confirm,
  confirmed,
  fund,
  incidentOf,
  openShop,
  payout,
  propose,
  receive,
  resolved,
} from '../setup/incidents.ts'
import { legsToday } from '../setup/report-days.ts'
import { reversedThere } from '../setup/reversing.ts'

let app: TestApp
let first: SignedInCaller
let second: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  first = await app.staff({ role: 'FINANCE' })
  second = await app.staff({ role: 'FINANCE' })
})
afterAll(async () => {
  await booksAgree(app).finally(() => app.stop())
})

const answerOf = ({ status, error }: Reply) => [status, error?.code]
const note = 'Sent to the wrong number'

type Paid = { shop: Shop; id: string; attempt: Json; fee: number; net: number }

/** A payout of 10 000 of which the receiver got what the fee left. */
async function paidOut(magic = '10'): Promise<Paid> {
  const shop = await openShop(app)
  await fund(shop, '10000')
  const { data } = await payout(shop, magic)
  if (magic === '10') await shop.becomes(data.id, 'SUCCESS')
  const [attempt] = await attemptsOf(shop, data.id)
  const fee = Number(attempt.client_fee)
  return { shop, id: data.id, attempt, fee, net: Number(attempt.net_amount) }
}

const ask = (by: SignedInCaller, id: string, body: object = { note }) =>
  by.post(`/admin/transactions/${id}/reverse/`, body)
const agree = (by: SignedInCaller, proposal: string) =>
  by.post(`/admin/proposals/${proposal}/confirm/`, {})

/** One proposes it, another confirms it. */
async function asked(id: string): Promise<void> {
  const proposed = await ask(first, id)
  expect(answerOf(proposed)).toEqual([202, undefined])
  expect(answerOf(await agree(second, proposed.data.id))).toEqual([200, undefined])
}

const isBack = (shop: Shop, id: string): Promise<Json> =>
  eventually(async () => {
    const { data } = await shop.get(`/transactions/${id}/`)
    expect(data.returned_at).not.toBeNull()
    return data
  }, 20_000)

const available = async (shop: Shop) => {
  const { available_amount, pending_amount } = await shop.balance('BJ')
  return [Number(available_amount), Number(pending_amount)]
}

/** What its return has booked, as kinds of account, in francs. */
const bookedBack = async (id: string): Promise<Json[]> => {
  const rows = await app.owner`
    select d.kind as debit, c.kind as credit, (e.amount / 100)::int as amount
      from ledger_entries e
      join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
      join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
      left join incidents i on i.merchant_id = e.merchant_id and i.id = e.cause_id
     where (e.cause_kind = 'RETURN' and e.cause_id = ${id})
        or (e.cause_kind in ('INCIDENT', 'RESOLUTION') and i.transaction_id = ${id})
     order by e.id`
  return [...rows]
}

const returnEvents = async (id: string): Promise<Json[]> =>
  (await eventsAbout(app.owner, id))
    .filter(({ type }) => type === 'transaction.returned')
    .map(({ data }) => ({ data }))

/** What the platform's fee of its price is made of; and whether that is given back. */
async function feesOf({ attempt }: Paid) {
  const [row] = await app.owner<{ gateway: number; platform: number; excess: number }[]>`
    select (gateway_fee / 100)::int as gateway, (platform_fee / 100)::int as platform,
           (gateway_cost_excess / 100)::int as excess
      from attempts where id = ${attempt.id}`
  if (row === undefined) throw new Error('no attempt')
  return row
}

const reversed = (net: number): Answer => ({
  ...{ is: 'reversed', external_reference: 'OP-1', detail: 'returned' },
  amount: BigInt(Math.round(net * 100)),
})

const reverseThere = ({ attempt }: Paid) => reversedThere(app, attempt.id)

describe('a payout that two people ask back', () => {
  it('is its merchant’s again, with what its operator gives back of the fee', async () => {
    const paid = await paidOut()
    const { shop, id, net } = paid
    const { gateway, excess } = await feesOf(paid)
    await asked(id)
    const now = await isBack(shop, id)
    expect(now).toMatchObject({
      status: 'SUCCESS',
      returned_amount: (net + gateway).toFixed(2),
      incident: null,
    })
    const { groups } = (await shop.get(`/search/?q=${now.reference}`)).data
    expect(groups).toMatchObject([{ results: [{ id, status: 'RETURNED' }] }])
    expect(await available(shop)).toEqual([net + gateway, 0])
    expect(await bookedBack(id)).toEqual([
      { debit: 'gateway', credit: 'available', amount: net },
      { debit: 'gateway_fees', credit: 'available', amount: gateway },
      ...(excess === 0 ? [] : [{ debit: 'gateway_fees', credit: 'gateway_costs', amount: excess }]),
    ])
    expect(await returnEvents(id)).toMatchObject([
      {
        data: { id, status: 'SUCCESS', returned_amount: now.returned_amount, version: now.version },
      },
    ])
    const { data: entries } = await shop.get('/merchant-ledger-entries/?country=BJ')
    expect(entries.results[0]).toMatchObject({
      ...{ kind: 'PAYOUT', direction: 'CREDIT', transaction: id },
    })
    const acts = await app.owner`
      select action, after->>'note' as note from audit_logs
       where target_id = ${id} and action like 'payout.reversal%'`
    expect([...acts]).toEqual([{ action: 'payout.reversal_asked', note }])
  })

  it('brings our part of the fee too where its price says so', async () => {
    const paid = await paidOut()
    const { shop, id, net, fee } = paid
    const { platform } = await feesOf(paid)
    await app.owner`
      update pricing_rules set is_fee_returned = true
       where id = (select pricing_rule from attempts where id = ${paid.attempt.id})`
    await asked(id)
    await isBack(shop, id)
    await app.owner`update pricing_rules set is_fee_returned = false`
    expect(await available(shop)).toEqual([net + fee, 0])
    expect(await bookedBack(id)).toContainEqual({
      ...{ debit: 'platform_fees', credit: 'available', amount: platform },
    })
  })

  it('is asked for by two, once, and by nobody again', async () => {
    const { shop, id } = await paidOut()
    const proposed = await ask(first, id)
    expect(proposed.data).toMatchObject({
      kind: 'PAYOUT_REVERSAL',
      status: 'PENDING',
      content: { transaction: id, note },
    })
    expect(answerOf(await ask(second, id))).toEqual([409, 'proposal_pending'])
    expect(answerOf(await agree(first, proposed.data.id))).toEqual([409, 'same_person'])
    const both = await Promise.all(Array.from({ length: 5 }, () => agree(second, proposed.data.id)))
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    await isBack(shop, id)
    expect(answerOf(await ask(first, id))).toEqual([409, 'not_reversible'])
    expect(await returnEvents(id)).toHaveLength(1)
  })

  it('comes back although whoever had sent it died before it was answered', async () => {
    const paid = await paidOut()
    const { shop, id } = paid
    await reverseThere(paid)
    // It was sent by a process that is no more.
    const { merchant_id } = shop
    await app.owner.begin(async (tx) => {
      await tx`update transactions set return_state = 'ASKED' where id = ${id}`
      await tx`
        insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id,
          note, proposed_by, confirmed_by, sends, due_at)
        values (${merchant_id}, gen_random_uuid(), 'SANDBOX', ${id}, ${paid.attempt.id}, 'n',
          ${first.person_id}, ${second.person_id}, 1, now() - interval '1 second')`
    })
    await isBack(shop, id)
    expect(await returnEvents(id)).toHaveLength(1)
    const [reversal] = await app.owner`
      select status, due_at from payout_reversals where transaction_id = ${id}`
    expect(reversal).toEqual({ status: 'SUCCESS', due_at: null })
  })

  it('stands where its operator refuses, and may be asked for again', async () => {
    const { shop, id, attempt } = await paidOut()
    const [was] = await app.owner`select our_key from attempts where id = ${attempt.id}`
    await app.owner`update attempts set our_key = 'unknown-there' where id = ${attempt.id}`
    await asked(id)
    const [ended] = await eventually(async () => {
      const rows = await app.owner`
        select status, answered from payout_reversals
         where transaction_id = ${id} and status = 'FAILED'`
      expect(rows).toHaveLength(1)
      return rows
    }, 20_000)
    expect(ended).toEqual({ status: 'FAILED', answered: 'not_found' })
    expect(await available(shop)).toEqual([0, 0])
    expect((await shop.get(`/transactions/${id}/`)).data.returned_at).toBeNull()
    expect(answerOf(await ask(first, id))).toEqual([202, undefined])
    await app.owner`
      update attempts set our_key = ${String(was?.['our_key'])} where id = ${attempt.id}`
  })

  it.each([
    ['after its operator’s time', "finished_at = now() - interval '4 days'"],
    ['by an operator that is not spoken to', "gateway_code = 'nobody'"],
  ])('is refused %s', async (_when, change) => {
    const { id, attempt } = await paidOut()
    await app.owner.unsafe(`update attempts set ${change} where id = '${attempt.id}'`)
    expect(answerOf(await ask(first, id))).toEqual([409, 'not_reversible'])
    await app.owner`
      update attempts set gateway_code = ${attempt.gateway_code} where id = ${attempt.id}`
  })

  it('goes on while its operator refuses and could not be asked how it stands', async () => {
    const paid = await paidOut()
    const { shop, id, attempt } = paid
    await reverseThere(paid)
    const [was] = await app.owner`select our_key from attempts where id = ${attempt.id}`
    // Another question is under way all the time.
    await app.owner`
      update attempts set our_key = 'unknown-there', leased_until = now() + interval '1 hour'
       where id = ${attempt.id}`
    await asked(id)
    const refusedAt = async (sends: number) =>
      eventually(async () => {
        const [one] = await app.owner`
          select answered, sends, status from payout_reversals where transaction_id = ${id}`
        expect(one).toMatchObject({ answered: 'not_found', status: 'PENDING' })
        expect(one?.['sends']).toBe(sends)
      }, 20_000)
    await refusedAt(1)
    await app.owner`
      update payout_reversals set due_at = now() - interval '1 second' where transaction_id = ${id}`
    await refusedAt(2)
    await app.owner`
      update attempts set our_key = ${String(was?.['our_key'])}, leased_until = null
       where id = ${attempt.id}`
    await app.owner`
      update payout_reversals set due_at = now() - interval '1 second'
       where transaction_id = ${id} and status = 'PENDING'`
    await isBack(shop, id)
  })

  it('that was given up and is asked for again is not given up by who is late', async () => {
    const { shop, id, attempt } = await paidOut()
    const { merchant_id } = shop
    await app.owner`update transactions set return_state = 'ASKED' where id = ${id}`
    const one = { merchant_id, transaction_id: id, environment: 'SANDBOX', answered: '' } as const
    const late = { ...one, id: crypto.randomUUID(), attempt_id: attempt.id, sends: 1, age_s: 1 }
    await app.owner`
      insert into payout_reversals (merchant_id, id, environment, transaction_id, attempt_id, note,
        proposed_by, confirmed_by, status, due_at, ended_at)
      values (${merchant_id}, ${late.id}, 'SANDBOX', ${id}, ${attempt.id}, 'n',
        ${first.person_id}, ${second.person_id}, 'FAILED', null, now())`
    expect(await inTransaction(app.service.db, (tx) => failReversal(tx, late))).toBe(false)
    const [row] = await app.owner`select return_state from transactions where id = ${id}`
    expect(row).toEqual({ return_state: 'ASKED' })
    await app.owner`update transactions set return_state = null where id = ${id}`
  })

  it('is refused of a payment, of one that waits, of another environment, without a note', async () => {
    const { shop, id } = await paidOut('04')
    expect(answerOf(await ask(first, id))).toEqual([409, 'not_reversible'])
    const payment = await shop.pay({ amount: '10000' })
    await shop.becomes(payment.data.id, 'SUCCESS')
    expect(answerOf(await ask(first, payment.data.id))).toEqual([409, 'not_reversible'])
    const unknown = '01981f3a-0000-7000-8000-000000000999'
    expect(answerOf(await ask(first, unknown))).toEqual([404, 'not_found'])
    expect((await ask(first, id, { note: '  ' })).error).toHaveProperty('note')
    const support = await app.staff({ role: 'OPERATIONS' })
    expect((await ask(support, id)).status).toBe(403)
  })
})

describe('a payout that its operator says came back', () => {
  it('is with people, and the merchant’s again when two agree, with the same sums', async () => {
    const paid = await paidOut()
    const { shop, id, net, attempt } = paid
    const { gateway, excess } = await feesOf(paid)
    for (const _again of [1, 2]) await receive(app, { shop, attempt_id: attempt.id }, reversed(net))
    const incident = await incidentOf(app, shop)
    expect(incident).toMatchObject({ type: 'RETURNED', suspense_side: 'CREDIT' })
    expect(answerOf(await ask(first, id))).toEqual([409, 'not_reversible'])
    expect(await available(shop)).toEqual([0, 0])
    await propose(first, incident, 'CREDIT_MERCHANT')
    const both = await Promise.all(Array.from({ length: 5 }, () => confirm(second, incident)))
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await bookedBack(id)).toEqual([
      { debit: 'gateway', credit: 'suspense', amount: net },
      { debit: 'suspense', credit: 'available', amount: net },
      { debit: 'gateway_fees', credit: 'available', amount: gateway },
      ...(excess === 0 ? [] : [{ debit: 'gateway_fees', credit: 'gateway_costs', amount: excess }]),
    ])
    const now = await isBack(shop, id)
    expect(now).toMatchObject({ status: 'SUCCESS' })
    expect(await legsToday(app, shop, 'RESOLUTION')).toEqual([
      `${now.reference} Dr 552 ${now.returned_amount}`,
      ...(gateway === 0 ? [] : [`${now.reference} Cr 6317 ${gateway.toFixed(2)}`]),
      `${now.reference} Cr 4711 ${net.toFixed(2)}`,
    ])
    expect(await returnEvents(id)).toHaveLength(1)
    await receive(app, { shop, attempt_id: attempt.id }, reversed(net))
    expect(await returnEvents(id)).toHaveLength(1)
    await reverseThere(paid)
  })

  /** What incidents have of what came back of it, in francs. */
  const partsOf = async (id: string): Promise<Json[]> => {
    const rows = await app.owner`
      select type, (amount / 100)::int as amount, status from incidents
       where transaction_id = ${id} and suspense_side = 'CREDIT' order by created_at, id`
    return [...rows]
  }

  it.each(['none of it', 'another amount'])(
    'in parts is in an incident for each, where %s had gone before',
    async (before) => {
      const { shop, id, net, attempt } = await paidOut(before === 'none of it' ? '10' : '04')
      const key = { shop, attempt_id: attempt.id }
      const people = { first, second }
      if (before === 'another amount') {
        await receive(app, key, confirmed(BigInt(net * 100) - 50_000n))
        await receive(app, key, confirmed(BigInt(net * 100)))
        await shop.becomes(id, 'SUCCESS')
        await resolved(app, people, shop, 'RECOVERED')
      }
      const part = { type: 'AMOUNT_MISMATCH', status: 'OPEN' }
      for (const came of [3000, 3000, 5000]) await receive(app, key, reversed(came))
      const [three, two] = [{ amount: 3000 }, { amount: 2000 }].map((one) => ({ ...part, ...one }))
      expect(await partsOf(id)).toEqual([three, two])
      const open = await app.owner<Json[]>`
        select id, amount from incidents
         where merchant_id = ${shop.merchant_id} and status = 'OPEN' order by created_at, id`
      for (const one of open) {
        await propose(first, one, 'RECOVERED')
        expect((await confirm(second, one)).data).toMatchObject({ status: 'RESOLVED' })
      }
      // It was there again, and goes a second time; then the whole of it, by itself.
      for (const _again of [1, 2]) await receive(app, key, reversed(1000))
      expect((await incidentOf(app, shop)).amount).toBe(100_000n)
      await resolved(app, people, shop, 'WRITE_OFF')
      for (const _again of [1, 2]) await receive(app, key, reversed(net))
      expect(await incidentOf(app, shop)).toMatchObject({ type: 'RETURNED' })
      await booksAgree(app)
    },
  )

  it('at the very moment at which two people ask for it is booked by one of both ways', async () => {
    const paid = await paidOut()
    const { shop, id, net, attempt } = paid
    const { data } = await ask(first, id)
    await reverseThere(paid)
    await Promise.all([
      agree(second, data.id),
      receive(app, { shop, attempt_id: attempt.id }, reversed(net)),
    ])
    const state = await eventually(async () => {
      const [row] = await app.owner`select return_state from transactions where id = ${id}`
      expect(row?.['return_state']).not.toBe('ASKED')
      return row?.['return_state']
    }, 20_000)
    const incidents = await app.owner`select id from incidents where transaction_id = ${id}`
    expect(incidents).toHaveLength(state === 'RETURNED' ? 0 : 1)
    expect(await returnEvents(id)).toHaveLength(state === 'RETURNED' ? 1 : 0)
    await booksAgree(app)
  })

  it('at the same moment by two answers, once two people have asked, is booked once', async () => {
    const paid = await paidOut()
    const { shop, id, net, attempt } = paid
    await app.owner`update transactions set return_state = 'ASKED' where id = ${id}`
    await reverseThere(paid)
    const answers = Array.from({ length: 4 }, () =>
      receive(app, { shop, attempt_id: attempt.id }, reversed(net)),
    )
    await Promise.all(answers)
    expect(await returnEvents(id)).toHaveLength(1)
    expect((await bookedBack(id)).filter(({ credit }) => credit === 'available')).toHaveLength(1)
    expect((await available(shop))[0]).toBe(net)
  })

  it('is for people alone where it had failed, and was paid all the same', async () => {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    const [attempt] = await attemptsOf(shop, data.id)
    const net = Number(attempt.net_amount)
    const key = { shop, attempt_id: attempt.id }
    await receive(app, key, confirmed(BigInt(Math.round(net * 100))))
    for (const _again of [1, 2]) await receive(app, key, reversed(net))
    const incidents = await app.owner`
      select type from incidents where transaction_id = ${data.id} order by created_at`
    expect(incidents.map(({ type }) => type)).toEqual([
      'PAID_AFTER_RELEASE',
      'REVERSED_AFTER_SUCCESS',
    ])
    expect((await shop.get(`/transactions/${data.id}/`)).data.returned_at).toBeNull()
    await booksAgree(app)
  })

  it('and that we had written off is ours again, and nobody else’s', async () => {
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    await shop.becomes(data.id, 'FAILED')
    const [attempt] = await attemptsOf(shop, data.id)
    const net = Number(attempt.net_amount)
    const key = { shop, attempt_id: attempt.id }
    await receive(app, key, confirmed(BigInt(Math.round(net * 100))))
    const people = { first, second }
    expect(await resolved(app, people, shop, 'WRITE_OFF')).toEqual({ more: 0, owed: 0 })
    await receive(app, key, reversed(net))
    const incident = await incidentOf(app, shop)
    expect(incident).toMatchObject({ type: 'REVERSED_AFTER_SUCCESS', suspense_side: 'CREDIT' })
    const gift = await propose(first, incident, 'CREDIT_MERCHANT')
    expect(Object.keys(gift.error ?? {})).toContain('resolution')
    expect(await resolved(app, people, shop, 'WRITE_OFF')).toEqual({ more: 0, owed: 0 })
    expect(await available(shop)).toEqual([10_000, 0])
    const [losses] = await app.owner`
      select coalesce(sum(case when d.kind = 'losses' then e.amount else -e.amount end), 0) as sum
        from ledger_entries e
        join accounts d on d.merchant_id = e.merchant_id and d.id = e.debit_account
        join accounts c on c.merchant_id = e.merchant_id and c.id = e.credit_account
       where e.merchant_id = ${shop.merchant_id} and 'losses' in (d.kind, c.kind)`
    expect(Number(losses?.['sum'])).toBe(0)
  })

  it.each([
    ['CHARGE_MERCHANT', 'CREDIT_MERCHANT', ['CREDIT_MERCHANT', 'RECOVERED']],
    ['RECOVERED', 'RECOVERED', ['RECOVERED', 'WRITE_OFF']],
    ['nothing yet', 'RECOVERED', ['RECOVERED']],
  ])('and of which two had said %s is the merchant’s only if it had paid for it', async (...as) => {
    const [said, back, ways] = as
    const shop = await openShop(app)
    await fund(shop, '10000')
    const { data } = await payout(shop, '03')
    await shop.becomes(data.id, 'FAILED')
    const [attempt] = await attemptsOf(shop, data.id)
    const net = Number(attempt.net_amount)
    const key = { shop, attempt_id: attempt.id }
    await receive(app, key, confirmed(BigInt(Math.round(net * 100))))
    const paid = await incidentOf(app, shop)
    const people = { first, second }
    if (said !== 'nothing yet') await resolved(app, people, shop, said)
    await receive(app, key, reversed(net))
    const [incident] = await app.owner<Json[]>`
      select id, amount from incidents
       where merchant_id = ${shop.merchant_id} and type = 'REVERSED_AFTER_SUCCESS'`
    const no = await propose(first, incident, 'REFUND_PAYER')
    expect(no.error?.resolution[0]).toContain(`one of ${ways.join(', ')} for`)
    await propose(first, incident, back)
    expect((await confirm(second, incident)).data).toMatchObject({ status: 'RESOLVED' })
    if (said === 'nothing yet') {
      await propose(first, paid, 'RECOVERED')
      expect((await confirm(second, paid)).data).toMatchObject({ status: 'RESOLVED' })
    }
    // Charged, it has back what went out, without the fee of the payout that was paid.
    expect((await available(shop))[0]).toBe(said === 'CHARGE_MERCHANT' ? net : 10_000)
    await booksAgree(app)
  })

  it('of an attempt that did not pay it is no return of it, though two people have asked', async () => {
    const { shop, id, attempt, net } = await paidOut()
    const another = crypto.randomUUID()
    await app.owner`
      update transactions set return_state = 'ASKED', settled_attempt = ${another}
       where id = ${id}`
    await receive(app, { shop, attempt_id: attempt.id }, reversed(net))
    expect(await returnEvents(id)).toEqual([])
    expect(await available(shop)).toEqual([0, 0])
    expect((await incidentOf(app, shop)).type).toBe('REVERSED_AFTER_SUCCESS')
    // That is how an older version puts down what came back of the attempt that paid it.
    await app.owner`
      update transactions set return_state = null, settled_attempt = ${attempt.id}
       where id = ${id}`
    await receive(app, { shop, attempt_id: attempt.id }, reversed(net))
    const incident = await incidentOf(app, shop)
    await propose(first, incident, 'CREDIT_MERCHANT')
    expect((await confirm(second, incident)).status).toBe(200)
    expect(await available(shop)).toEqual([net, 0])
    expect(answerOf(await ask(first, id))).toEqual([409, 'not_reversible'])
  })

  it('before it had ended has failed, and its hold is released whole', async () => {
    const { shop, id, attempt, net } = await paidOut('04')
    expect((await available(shop))[1]).toBe(10_000)
    await receive(app, { shop, attempt_id: attempt.id }, reversed(net))
    await shop.becomes(id, 'FAILED')
    expect(await available(shop)).toEqual([10_000, 0])
    expect((await shop.get(`/transactions/${id}/`)).data).toMatchObject({
      ...{ returned_at: null, returned_amount: '0.00', incident: null },
    })
    await app.owner`update attempts set due_at = null where id = ${attempt.id}`
  })
})
