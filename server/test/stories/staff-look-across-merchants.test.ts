// Staff look at transactions and incidents of all merchants, in one environment at a time. No page
// skips a payment or shows one twice, however much is between two of them and however little time a
// page has; and no merchant or key may look.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatAmount } from '../../src/money/format.ts'
import { idFromHash, newId } from '../../src/platform/ids.ts'
import { listAcross } from '../../src/transactions/admin/list-across.ts'
import {
  eventually,
  type Json,
  newPayer,
  type Reply,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { heldToPublished } from '../setup/held-to-published.ts'
import {
  type Key,
  plantAttempt,
  plantIncident,
  plantStatusLog,
  plantTransaction,
} from '../setup/transaction-rows.ts'

let app: TestApp
let staff: SignedInCaller
let one: Shop
let other: Shop
beforeAll(async () => {
  // Two words of the operator, of which the second may not overtake the first.
  app = await startApp({ speed: 1 })
  staff = await heldToPublished(await app.staff({ role: 'SUPPORT' }))
  one = await app.shop()
  other = await app.shop()
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const live = { 'x-environment': 'LIVE' }
const pathOf = (link: string) => link.replace(/^.*\/api\/v1/, '')
const idsOf = (reply: Reply): string[] => {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.data.results.map(({ id }: Json) => id)
}
const idAt = (moment: string, of: string) =>
  idFromHash(Date.parse(moment), createHash('sha256').update(of).digest())

/** A payment of that moment, as the ids of that time are. */
const plantAt = (moment: string, merchant_id: string, changes: object = {}): Promise<Key> =>
  plantTransaction(app.owner, merchant_id, {
    id: idAt(moment, `${merchant_id} ${moment} ${JSON.stringify(changes)}`),
    created_at: new Date(moment),
    ...changes,
  })

describe('GET /admin/transactions/', () => {
  const planted: Key[] = []
  let reference = ''

  beforeAll(async () => {
    const [a, b] = [one.merchant_id, other.merchant_id]
    const rows: [string, string, object][] = [
      ['2024-05-01T10:00:00Z', a, { status: 'FAILED' }],
      ['2026-01-10T10:00:00Z', b, { country_code: 'CM', network_code: 'mtn_cm', currency: 'XAF' }],
      ['2026-06-30T23:59:59Z', a, { transaction_type: 'RETRAIT', merchant_reference: 'ORDER-1' }],
      ['2026-11-01T00:00:00Z', b, { status: 'SUCCESS' }],
      ['2026-11-01T00:00:00Z', a, { status: 'FAILED', reference: 'TXN-20261101-AAAAAAAAAA' }],
      ['2026-11-20T12:00:00Z', b, { transaction_type: 'RECHARGE' }],
    ]
    for (const [moment, merchant_id, changes] of rows) {
      planted.push(await plantAt(moment, merchant_id, changes))
    }
    await plantAt('2026-11-20T12:00:00Z', a, { environment: 'LIVE' })
    reference = 'TXN-20261101-AAAAAAAAAA'
  })

  /** The planted ones by the newest; real payments of this file come before them. */
  const newestFirst = () =>
    planted
      .map(({ id }) => id)
      .toSorted()
      .reverse()
  /** Of all pages: on a busy machine a page whose search took its time comes short. */
  async function allOf(query = ''): Promise<string[]> {
    const ids: string[] = []
    let path: string | null = `/admin/transactions/?${query}`
    while (path !== null) {
      const reply: Reply = await staff.get(path)
      ids.push(...idsOf(reply))
      path = reply.data.next === null ? null : pathOf(reply.data.next)
    }
    return ids
  }
  const found = async (query: string) =>
    (await allOf(query)).map((id) => planted.findIndex((key) => key.id === id))

  it('lists those of all merchants in the environment, the newest first', async () => {
    const paid = await one.pay({ customer: newPayer('10') })
    expect(await allOf()).toEqual([paid.data.id, ...newestFirst()])
    const reply = await staff.get('/admin/transactions/')
    expect(reply.data.results[0]).toMatchObject({
      merchant: one.merchant_id,
      merchant_name: expect.stringMatching(/^Shop /),
      gateway_fee: expect.any(String),
      platform_fee: expect.any(String),
      environment: 'SANDBOX',
    })
    expect(idsOf(await staff.get('/admin/transactions/', live))).toHaveLength(1)
  })

  it.each([
    ['status=FAILED', [4, 0]],
    ['transaction_type=RECHARGE', [5]],
    ['flow_direction=OUTBOUND', [2]],
    ['currency=XAF', [1]],
    ['country=CM', [1]],
    ['network=mtn_cm', [1]],
    ['merchant_reference=ORDER-1', [2]],
    ['reference=REFERENCE', [4]],
    ['reference=REFERENCE&merchant=ONE', [4]],
    ['reference=REFERENCE&merchant=OTHER', []],
    ['reference=TXN-20261102-AAAAAAAAAA', []],
    ['reference=nonsense', []],
    ['merchant=OTHER', [5, 3, 1]],
    ['merchant=NOBODY', []],
    ['created_at__lte=2026-01-10T10:00:00Z', [1, 0]],
    ['created_at__gte=2026-06-30T23:59:59Z&created_at__lte=2026-11-01', [3, 4, 2]],
    ['created_at__gte=0001-01-01&created_at__lte=2024-12-31', [0]],
    ['created_at__gte=9999-01-01', []],
  ])('finds by %s', async (query, expected) => {
    const text = query
      .replace('REFERENCE', reference)
      .replace('ONE', one.merchant_id)
      .replace('OTHER', other.merchant_id)
      .replace('NOBODY', newId())
    const got = await found(text)
    // Two were made in the same millisecond: only their ids say which is first.
    expect(got.toSorted()).toEqual(expected.toSorted())
    const ids = got.map((at) => planted[at]?.id ?? '')
    expect(ids).toEqual(ids.toSorted().reverse())
  })

  it.each(['', 'merchant=ONE&'])('is paged there and back (%s)', async (filter) => {
    const query = filter.replace('ONE', one.merchant_id)
    const whole = await allOf(query)
    const pages: string[][] = []
    let reply = await staff.get(`/admin/transactions/?${query}page_size=2`)
    for (;;) {
      pages.push(idsOf(reply))
      if (reply.data.next === null) break
      reply = await staff.get(pathOf(reply.data.next))
    }
    expect(pages.flat()).toEqual(whole)
    const back: string[][] = [idsOf(reply)]
    while (reply.data.previous !== null) {
      reply = await staff.get(pathOf(reply.data.previous))
      back.unshift(idsOf(reply))
    }
    expect(back.flat()).toEqual(whole)
  })

  it('with no time at all shows short pages that go on, and loses nothing', async () => {
    const { db } = app.service
    const nothing = {
      status: undefined,
      transaction_type: undefined,
      flow_direction: undefined,
      currency: undefined,
      country: undefined,
      network: undefined,
      merchant: undefined,
      customer: undefined,
      merchant_reference: undefined,
      payment_link: undefined,
      checkout_session: undefined,
      created_by_member: undefined,
      api_key: undefined,
      via: undefined,
      amount__gte: undefined,
      amount__lte: undefined,
      failure_code: undefined,
      incident: undefined,
      waits_for: undefined,
      created_at__gte: undefined,
      created_at__lte: undefined,
      reference: undefined,
      environment: 'SANDBOX',
      limit: 3,
    } as const
    const year_ms = 365 * 86_400_000
    for (const dir of ['next', 'prev'] as const) {
      const top = { dir, created_at: '', id: dir === 'next' ? newId() : (planted[0]?.id ?? '') }
      let cursor = top
      const met: string[] = []
      let short = 0
      for (let page = 0; page < 200; page += 1) {
        const query = { ...nothing, cursor }
        const patience = { search_ms: 0, first_span_ms: year_ms / 12 }
        const { rows, stopped_at } = await listAcross(db, query, patience)
        met.push(...rows.map(({ id }) => id))
        if (stopped_at === undefined && rows.length < 3) break
        short += stopped_at === undefined ? 0 : 1
        cursor = { ...cursor, id: stopped_at ?? rows.at(-1)?.id ?? '' }
      }
      const whole = idsOf(await staff.get('/admin/transactions/'))
      const wanted = dir === 'next' ? whole : whole.filter((id) => id > top.id).reverse()
      expect(met).toEqual(wanted)
      expect(short).toBeGreaterThan(5)
    }
  })

  it('400: filters that are none; a cursor that was changed', async () => {
    for (const [query, field] of [
      ['status=DONE', 'status'],
      ['transaction_type=PAYMENT', 'transaction_type'],
      ['flow_direction=IN', 'flow_direction'],
      ['merchant=x', 'merchant'],
      ['country=Benin', 'country'],
      ['network=MTN Benin', 'network'],
      ['created_at__gte=soon', 'created_at__gte'],
      ['created_at__lte=2026-02-30', 'created_at__lte'],
      ['page_size=0', 'page_size'],
      ['cursor=abc', 'cursor'],
    ]) {
      const reply = await staff.get(`/admin/transactions/?${query}`)
      expect([query, reply.status, Object.keys(reply.error)]).toEqual([query, 400, [field]])
    }
  })
})

describe('GET /admin/transactions/:id/', () => {
  it('has what its merchant sees, what it was to cost, and what each move rested on', async () => {
    const paid = await one.pay({ amount: '10000', customer: newPayer('10') })
    // What the payer is to do and who they are, who of its team made it, and whether oneself may
    // approve, is the merchant's to know.
    const { instructions, next_action, checkout_url, ...told } = await one.becomes(
      paid.data.id,
      'SUCCESS',
    )
    const { may_approve, may_not_approve, approval_ends_at, approval_after, ...others } = told
    const { created_by_name, customer_name, may_retry, ...own } = others
    expect([instructions, next_action, checkout_url]).toEqual(['', 'NONE', ''])
    expect([may_approve, may_not_approve, may_retry]).toEqual([false, null, false])
    expect([approval_ends_at, approval_after]).toEqual([null, null])
    expect(created_by_name).toBe('')
    expect(customer_name).not.toBe('')
    const evidence = await one.get(`/transactions/${paid.data.id}/evidence/`)
    const { status, data } = await staff.get(`/admin/transactions/${paid.data.id}/`)
    expect(status).toBe(200)
    expect(data).toMatchObject({ ...own, attempts: [own.attempts[0]] })
    expect(data.merchant_name).toMatch(/^Shop /)
    expect(data.evidence).toEqual(evidence.data.evidence)
    expect(data.evidence.at(-1)).toMatchObject({ to_status: 'SUCCESS' })
    const [row] = await app.owner`
      select our_key, gateway_fee, route_id from attempts where transaction_id = ${paid.data.id}`
    expect(data.attempts[0]).toMatchObject({
      our_key: row?.['our_key'],
      gateway_fee: formatAmount(row?.['gateway_fee']),
      route: row?.['route_id'],
      gateway_cost_excess: '0.00',
      gateway_ended: true,
    })
    expect(JSON.stringify(data)).not.toContain('gateway_detail')
  })

  it('404: unknown, ill-formed, of the other environment', async () => {
    const key = await plantTransaction(app.owner, one.merchant_id)
    expect((await staff.get(`/admin/transactions/${key.id}/`)).status).toBe(200)
    for (const [id, headers] of [
      [newId(), {}],
      ['x', {}],
      [key.id, live],
    ] as const) {
      const reply = await staff.get(`/admin/transactions/${id}/`, headers)
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })
})

describe('GET /admin/incidents/', () => {
  let open: Key
  let resolved: Key
  let unmatched: Key
  let attempt: Key
  let transaction: Key
  const callback = newId()

  beforeAll(async () => {
    const { owner } = app
    transaction = await plantTransaction(owner, one.merchant_id, { status: 'SUCCESS' })
    attempt = await plantAttempt(owner, transaction, { status: 'SUCCESS' })
    const [gateway] = await owner`select id from gateways where code = 'simulator_b'`
    open = await plantIncident(owner, transaction, attempt, {
      gateway_id: gateway?.['id'],
      amount: 1_032_500n,
      suspense_side: 'CREDIT',
      currency: 'XOF',
      country: 'SN',
      detail: { external_reference: 'OP-2' },
    })
    // A callback's id has the time of its attempt's.
    const body_hash = createHash('sha256').update('a payer’s own data').digest()
    for (const [id, of] of [
      [
        idFromHash(Number.parseInt(attempt.id.replace('-', '').slice(0, 12), 16), body_hash),
        attempt,
      ],
      [newId(), { id: newId() }],
    ] as const) {
      await owner`insert into gateway_callbacks ${owner({
        merchant_id: one.merchant_id,
        id,
        environment: 'SANDBOX',
        gateway_id: gateway?.['id'],
        attempt_id: of.id,
        proof: 'SIGNED',
        body: 'a payer’s own data',
        body_hash,
        outcome: 'APPLIED',
      })}`
    }
    const second = await plantTransaction(owner, other.merchant_id)
    const question = await plantAttempt(owner, second)
    resolved = await plantIncident(owner, second, question, {
      type: 'OUTCOME_UNKNOWN',
      status: 'RESOLVED',
      resolution: 'WRITE_OFF',
      resolution_amount: 500n,
      resolution_note: 'agreed',
      proposed_by: newId(),
      confirmed_by: newId(),
      resolved_at: new Date(),
    })
    const platform_id = '00000000-0000-7000-8000-000000000001'
    await owner`insert into gateway_callbacks ${owner({
      merchant_id: platform_id,
      id: callback,
      environment: 'SANDBOX',
      gateway_id: gateway?.['id'],
      proof: 'UNSIGNED',
      body: '{}',
      body_hash,
      outcome: 'UNMATCHED',
    })}`
    unmatched = { merchant_id: platform_id, id: newId() }
    await owner`insert into incidents ${owner({
      ...unmatched,
      environment: 'SANDBOX',
      type: 'UNMATCHED_CALLBACK',
      callback_id: callback,
      gateway_id: gateway?.['id'],
    })}`
    const real = await plantTransaction(owner, one.merchant_id, { environment: 'LIVE' })
    const liveOne = await plantAttempt(owner, real, { environment: 'LIVE' })
    await plantIncident(owner, real, liveOne, { environment: 'LIVE' })
  })

  const found = async (query: string) => {
    const reply = await staff.get(`/admin/incidents/?${query}`)
    return [reply.data.count, ...idsOf(reply)]
  }

  it('lists them over all merchants, the newest first', async () => {
    expect(await found('')).toEqual([3, unmatched.id, resolved.id, open.id])
    expect(await found('ordering=created_at')).toEqual([3, open.id, resolved.id, unmatched.id])
    expect((await staff.get('/admin/incidents/', live)).data.count).toBe(1)
    const { data } = await staff.get('/admin/incidents/?type=DUPLICATE_CAPTURE')
    expect(data.results).toMatchObject([
      {
        merchant: one.merchant_id,
        merchant_name: expect.stringMatching(/^Shop /),
        status: 'OPEN',
        transaction: transaction.id,
        transaction_reference: `TXN-${transaction.id}`,
        attempt: attempt.id,
        gateway_code: 'simulator_b',
        amount: '10325.00',
        suspense_side: 'CREDIT',
        detail: { external_reference: 'OP-2' },
        resolution: null,
      },
    ])
  })

  it('finds by status, type and merchant, page by page', async () => {
    expect(await found('status=OPEN')).toEqual([2, unmatched.id, open.id])
    expect(await found('status=RESOLVED')).toEqual([1, resolved.id])
    expect(await found('type=OUTCOME_UNKNOWN&status=OPEN')).toEqual([0])
    expect(await found(`merchant=${other.merchant_id}`)).toEqual([1, resolved.id])
    const page = await staff.get('/admin/incidents/?page_size=1&page=2')
    expect([page.data.count, ...idsOf(page)]).toEqual([3, resolved.id])
    expect(page.data.next).toContain('page=3')
    for (const query of ['status=DONE', 'type=LOST', 'merchant=x', 'ordering=amount', 'page=0']) {
      expect([query, (await staff.get(`/admin/incidents/?${query}`)).status]).toEqual([query, 400])
    }
    expect(codeOf(await staff.get('/admin/incidents/?page=9'))).toEqual([404, 'not_found'])
  })

  it('shows one with its transaction, its attempt and the callbacks that named it', async () => {
    const { data } = await staff.get(`/admin/incidents/${open.id}/`)
    expect(data).toMatchObject({
      id: open.id,
      transaction_facts: {
        id: transaction.id,
        status: 'SUCCESS',
        debited_amount: '10325.00',
        currency: 'XOF',
      },
      attempt_facts: {
        id: attempt.id,
        status: 'SUCCESS',
        our_key: `our-key-${attempt.id}`,
        debited_amount: '10325.00',
        gateway_fee: '150.00',
      },
      callbacks: [{ proof: 'SIGNED', outcome: 'APPLIED' }],
    })
    expect(JSON.stringify(data)).not.toContain('a payer’s own data')
    const lone = await staff.get(`/admin/incidents/${unmatched.id}/`)
    expect(lone.data).toMatchObject({
      merchant: null,
      merchant_name: null,
      transaction_facts: null,
      attempt_facts: null,
      callbacks: [{ id: callback, outcome: 'UNMATCHED' }],
    })
    const ended = await staff.get(`/admin/incidents/${resolved.id}/`)
    expect(ended.data).toMatchObject({
      status: 'RESOLVED',
      resolution: 'WRITE_OFF',
      resolution_amount: '5.00',
      callbacks: [],
    })
  })

  it('404: unknown, ill-formed, of the other environment', async () => {
    for (const [id, headers] of [
      [newId(), {}],
      ['x', {}],
      [open.id, live],
    ] as const) {
      const reply = await staff.get(`/admin/incidents/${id}/`, headers)
      expect(codeOf(reply)).toEqual([404, 'not_found'])
    }
  })

  it('shows one that an operator really made, a payment taken twice', async () => {
    // 09: a failure, then a success: the second word is told as it came.
    const paid = await other.pay({ customer: newPayer('09') })
    await other.becomes(paid.data.id, 'SUCCESS')
    const { data } = await staff.get(`/admin/transactions/${paid.data.id}/`)
    expect(data.evidence.map(({ to_status }: Json) => to_status)).toEqual(['FAILED', 'SUCCESS'])
    await plantStatusLog(app.owner, transaction, { reason: 'planted' })
    const shown = await eventually(() => staff.get(`/admin/transactions/${transaction.id}/`))
    expect(shown.data.incident).toMatchObject({ id: open.id, type: 'DUPLICATE_CAPTURE' })
    expect(shown.data.status_logs).toMatchObject([{ reason: 'planted' }])
  })
})

describe('who may look', () => {
  const paths = ['/admin/transactions/', '/admin/incidents/']
  const ofOne = paths.map((path) => `${path}${newId()}/`)

  it('every role of staff; no member, no key, nobody', async () => {
    for (const role of ['SUPPORT', 'OPERATIONS', 'FINANCE', 'SUPERADMIN'] as const) {
      const person = await app.staff({ role })
      for (const path of paths) expect((await person.get(path)).status).toBe(200)
      for (const path of ofOne) expect((await person.get(path)).status).toBe(404)
    }
    const member = await app.member({ second_factor: 'FRESH' })
    for (const path of [...paths, ...ofOne]) {
      expect(codeOf(await member.get(path))).toEqual([403, 'permission_denied'])
      expect(codeOf(await one.get(path))).toEqual([403, 'permission_denied'])
      expect((await fetch(`${app.url}/api/v1${path}`)).status).toBe(401)
    }
  })

  it('the demo’s administrator, in the sandbox', async () => {
    const demo = await app.staff({ demo: true })
    for (const path of paths) {
      expect((await demo.get(path)).status).toBe(200)
      expect(codeOf(await demo.get(path, live))).toEqual([403, 'totp_required'])
    }
  })
})
