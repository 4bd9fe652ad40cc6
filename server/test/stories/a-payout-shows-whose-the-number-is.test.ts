// Before a payout whoever may make it sees whose the number is, where the account's contract with
// its operator allows that. The operator is asked once a day about a number, waited for two seconds
// at most, and what it says is sealed, gone after a day, and gone with the person. Who looked stands
// in the audit log, without the name; of a payout that would be refused nobody looks.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { WireBetween } from '../../src/gateways/conformance-bench.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
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
import { provisioned } from '../setup/mtn-account.ts'
import { readMetric } from '../setup/read-metric.ts'
import { wireBetween } from '../setup/wire-between.ts'

let app: TestApp
let mtn: Mtn
let wire: WireBetween
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  mtn = await startMtn({ port: 0, speed: 50 })
  wire = await wireBetween(mtn.url)
  await addMtn('mtn_bj_asking', { holder_lookup: 'on' })
  const staff = await app.staff({ role: 'OPERATIONS' })
  const route = { network: 'mtn_bj', gateway: 'mtn_bj_asking', direction: 'DISBURSE', priority: 1 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  shop = await app.shop()
  await list(shop)
  await fund(shop)
})
afterAll(async () => {
  await app?.stop()
  await wire?.close()
  await mtn?.stop()
})

async function addMtn(code: string, more: Readonly<Record<string, string>>): Promise<void> {
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(wire.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings: { ...settings, ...more }, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
}

/** A key of this shop pays out from here. */
const list = ({ merchant_id }: Shop) => app.owner`
  insert into ip_whitelist (merchant_id, id, ip_address)
  values (${merchant_id}, gen_random_uuid(), '127.0.0.1')`

/** A payout that its balance would refuse has nobody asked. */
async function fund(who: Pick<Shop, 'post'>, amount = '500000'): Promise<void> {
  expect((await who.post('/sandbox/balances/', { country: 'BJ', amount })).status).toBe(201)
}

const quote = (who: Shop, msisdn: string, amount = '5000'): Promise<Reply> => {
  const asked = { kind: 'PAYOUT', network: 'mtn_bj', amount, country: 'BJ', msisdn }
  return who.get(`/quotes/?${new URLSearchParams(asked)}`)
}

async function recipient(who: Shop, msisdn: string): Promise<Json> {
  const { status, data, body } = await quote(who, msisdn)
  expect(status, JSON.stringify(body)).toBe(200)
  return data.recipient
}

const holderCalls = () =>
  wire.passed.flatMap(({ path }) => /accountholder\/msisdn\/(\d+\/\w+)$/.exec(path)?.[1] ?? [])
const rows = () => app.owner<Json[]>`
  select id, sealed, asked_at from holder_lookups order by asked_at, id`

describe('whoever may pay out', () => {
  it('sees whose the number is, and its operator is asked once', async () => {
    const { phone } = newPayer()
    const seen = await Promise.all([recipient(shop, phone), recipient(shop, phone)])
    const named = seen.find((one) => one !== null)
    expect(named).toEqual({ active: true, name: expect.stringMatching(/^\S+ \S+/) })
    expect(await recipient(shop, phone)).toEqual(named)
    const member = await app.member({ role: 'FINANCE', merchant_id: shop.merchant_id })
    expect(await recipient(member, phone)).toEqual(named)
    const digits = phone.slice(1)
    expect(holderCalls()).toEqual([`${digits}/active`, `${digits}/basicuserinfo`])
  })

  it('sees that the operator knows no account there', async () => {
    const phone = `${newPayer().phone.slice(0, -2)}03`
    expect(await recipient(shop, phone)).toEqual({ active: false, name: null })
  })

  it('is told nothing of a payment’s payer, and nothing without a number', async () => {
    const before = holderCalls().length
    const { phone: msisdn } = newPayer()
    const payin = { kind: 'PAYIN', network: 'mtn_bj', amount: '5000', country: 'BJ', msisdn }
    expect((await shop.get(`/quotes/?${new URLSearchParams(payin)}`)).data.recipient).toBe(null)
    const bare = { kind: 'PAYOUT', network: 'mtn_bj', amount: '5000', country: 'BJ' }
    expect((await shop.get(`/quotes/?${new URLSearchParams(bare)}`)).data.recipient).toBe(null)
    expect(holderCalls()).toHaveLength(before)
  })
})

describe('nobody else', () => {
  it('sees a name, or has one asked for', async () => {
    const { phone } = newPayer()
    const before = holderCalls().length
    const { merchant_id } = shop
    const unlisted = await app.shop()
    await fund(unlisted)
    const others = [
      await app.member({ role: 'VIEWER', merchant_id }),
      await app.shop({ scope: 'PAYIN', merchant_id }),
      // Of a merchant that lists no address, none may pay out by key.
      await app.shop({ scope: 'PAYOUT', merchant_id: unlisted.merchant_id }),
    ]
    for (const other of others) expect(await recipient(other, phone)).toBe(null)
    const reading = await app.shop({ merchant_id })
    await app.owner`
      update api_keys set read_only = true
       where merchant_id = ${merchant_id} and id = (
         select id from api_keys where merchant_id = ${merchant_id} order by created_at desc, id desc
          limit 1)`
    expect(await recipient(reading, phone)).toBe(null)
    expect(holderCalls()).toHaveLength(before)
  })

  it('where the account does not ask', async () => {
    const staff = await app.staff({ role: 'OPERATIONS' })
    const [row] = await app.owner<{ id: string }[]>`
      select id from gateways where code = 'mtn_bj_asking'`
    const set = (holder_lookup: string) =>
      staff.call('PATCH', `/admin/gateways/${row?.id}/`, {
        body: JSON.stringify({ settings: { holder_lookup } }),
        headers: { 'content-type': 'application/json' },
      })
    expect((await set('maybe')).status).toBe(400)
    expect((await set('off')).status).toBe(200)
    const before = holderCalls().length
    await eventually(async () => expect(await recipient(shop, newPayer().phone)).toBe(null))
    expect((await set('on')).status).toBe(200)
    await eventually(async () => {
      expect(await recipient(shop, newPayer().phone)).toMatchObject({ active: true })
    })
    expect(holderCalls().length).toBeGreaterThan(before)
  })
})

describe('an operator', () => {
  it('that is slow holds up nobody; what it says later is kept', async () => {
    const { phone } = newPayer()
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    wire.spoils(({ path }) =>
      path.endsWith('/active') ? { reaches: true, answer: 'theirs', after } : undefined,
    )
    const begun = performance.now()
    expect(await recipient(shop, phone)).toBe(null)
    expect(performance.now() - begun).toBeLessThan(6_000)
    answer()
    await eventually(async () => {
      expect(await recipient(shop, phone)).toMatchObject({ active: true })
    })
    wire.spoils(() => undefined)
  }, 15_000)

  it.each([
    ['fails', { reaches: false, answer: { status: 500, body: '{}' } }],
    ['breaks off', { reaches: false, answer: 'broken' }],
    ['says what nobody knows', { reaches: false, answer: { status: 200, body: '{"result":1}' } }],
    ['has no such page', { reaches: false, answer: { status: 404, body: '{"statusCode":404}' } }],
  ] as const)('that %s fails no preview, and is asked again the next day', async (_, fault) => {
    const { phone } = newPayer()
    wire.spoils(({ path }) => (path.endsWith('/active') ? fault : undefined))
    expect(await recipient(shop, phone)).toBe(null)
    wire.spoils(() => undefined)
    expect(await recipient(shop, phone)).toBe(null)
    await app.owner`update holder_lookups set asked_at = now() - interval '24 hours'`
    expect(await recipient(shop, phone)).toMatchObject({ active: true })
  })

  it('that names nobody is believed all the same', async () => {
    wire.spoils(({ path }) =>
      path.endsWith('/basicuserinfo')
        ? { reaches: false, answer: { status: 403, body: '' } }
        : undefined,
    )
    expect(await recipient(shop, newPayer().phone)).toEqual({ active: true, name: null })
    wire.spoils(() => undefined)
  })
})

describe('what an operator said', () => {
  it('is sealed, and gone after a day', async () => {
    const { phone } = newPayer()
    const { name } = await recipient(shop, phone)
    const kept = await rows()
    expect(kept.length).toBeGreaterThan(0)
    const whole = JSON.stringify(kept.map(({ sealed }) => sealed?.toString('latin1')))
    for (const word of name.split(' ')) expect(whole).not.toContain(word)
    await app.owner`update holder_lookups set asked_at = now() - interval '24 hours 1 second'`
    await app.owner.notify('pirogue_wake', 'a-story old-holders')
    await eventually(async () => expect(await rows()).toEqual([]))
  })

  it('goes with the person', async () => {
    const customer = newPayer()
    const made = await shop.post('/customers/', customer)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(await recipient(shop, customer.phone)).toMatchObject({ active: true })
    const stays = newPayer()
    await recipient(shop, stays.phone)
    const before = (await rows()).length
    const erased = await shop.call('DELETE', `/customers/${made.data.id}/`)
    expect(erased.status, JSON.stringify(erased.body)).toBeLessThan(300)
    expect(await rows()).toHaveLength(before - 1)
    const calls = holderCalls().length
    await recipient(shop, stays.phone)
    expect(holderCalls()).toHaveLength(calls)
    await recipient(shop, customer.phone)
    expect(holderCalls().length).toBeGreaterThan(calls)
  })
})

const looksAt = (merchant_id: string, msisdn: string) => app.owner<Json[]>`
  select environment, actor_kind, actor_id, target_kind, after from audit_logs
   where merchant_id = ${merchant_id} and action = 'recipient.looked_up'
     and target_id = ${`${msisdn.slice(0, 4)}***${msisdn.slice(-2)}`}
   order by id`

/** Of a merchant whose log is empty of looks: a number that is masked may be many. */
async function newOwner(): Promise<SignedInCaller> {
  const { merchant_id } = await app.shop()
  const owner = await app.member({ role: 'OWNER', merchant_id })
  await fund(owner)
  return owner
}

const line = {
  ...{ environment: 'SANDBOX', actor_kind: 'MEMBER', target_kind: 'recipient' },
  actor_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
}

describe('who looked', () => {
  it('stands in the audit log, with the number masked and without the name', async () => {
    const member = await newOwner()
    const { merchant_id } = member
    const { phone } = newPayer()
    const { name } = await recipient(member, phone)
    // A form asks anew with each change of the amount: the same look.
    await quote(member, phone, '6000')
    const after = { network: 'mtn_bj', named: true }
    expect(await looksAt(merchant_id, phone)).toEqual([{ ...line, after }])
    const other = await app.member({ role: 'FINANCE', merchant_id })
    // What is kept by now is as much of a look, by whoever it is.
    expect(await recipient(other, phone)).toMatchObject({ name })
    expect(await looksAt(merchant_id, phone)).toHaveLength(2)
    const asked = '/audit-logs/?action=recipient.looked_up&target_kind=recipient'
    const shown = await member.get(asked)
    expect(shown.data.results).toHaveLength(2)
    const whole = JSON.stringify(shown.data)
    for (const word of [...name.split(' '), phone.slice(4, -2)]) expect(whole).not.toContain(word)
  })

  it('and saw no name stands there as well, and once more when one came', async () => {
    const { phone } = newPayer()
    const member = await newOwner()
    const { merchant_id } = member
    wire.spoils(() => ({ reaches: false, answer: { status: 500, body: '{}' } }))
    expect(await recipient(member, phone)).toBe(null)
    wire.spoils(() => undefined)
    await app.owner`update holder_lookups set asked_at = now() - interval '10 minutes'`
    expect(await recipient(member, phone)).toMatchObject({ active: true })
    expect(await looksAt(merchant_id, phone)).toEqual([
      { ...line, after: { network: 'mtn_bj', named: false } },
      { ...line, after: { network: 'mtn_bj', named: true } },
    ])
    const key = await app.shop({ merchant_id })
    await list(key)
    expect(await recipient(key, phone)).toMatchObject({ active: true })
    expect((await looksAt(merchant_id, phone)).at(-1)).toMatchObject({ actor_kind: 'KEY' })
  })

  it('is counted by account and outcome', async () => {
    const count = async (outcome: string) =>
      (await readMetric(
        app.url,
        `pirogue_holder_looks_total{gateway="mtn_bj_asking",outcome="${outcome}"}`,
      )) ?? 0
    const [named, kept, inactive] = await Promise.all(['named', 'kept', 'inactive'].map(count))
    const { phone } = newPayer()
    await recipient(shop, phone)
    await recipient(shop, phone)
    await recipient(shop, `${newPayer().phone.slice(0, -2)}03`)
    expect(await count('named')).toBe((named ?? 0) + 1)
    expect(await count('kept')).toBe((kept ?? 0) + 1)
    expect(await count('inactive')).toBe((inactive ?? 0) + 1)
  })

  it('cannot, where the payout would be refused', async () => {
    const owner = await newOwner()
    const { merchant_id } = owner
    const before = holderCalls().length
    const poor = newPayer().phone
    expect((await quote(owner, poor, '600000')).data).toMatchObject({
      refusals: [{ code: 'insufficient_balance' }],
      recipient: null,
    })
    const limit = await owner.post('/merchant-payout-limits/', {
      ...{ environment: 'SANDBOX', country: 'BJ', per_payout: '4000' },
    })
    expect(limit.status, JSON.stringify(limit.body)).toBeLessThan(300)
    const limited = newPayer().phone
    expect((await quote(owner, limited)).data).toMatchObject({
      refusals: [{ code: 'payout_limit_exceeded' }],
      recipient: null,
    })
    await app.owner`
      update balances set is_frozen = true where merchant_id = ${merchant_id}`
    const frozen = newPayer().phone
    expect((await quote(owner, frozen, '3000')).data).toMatchObject({
      refusals: [{ code: 'balance_frozen' }],
      recipient: null,
    })
    expect(holderCalls()).toHaveLength(before)
    for (const phone of [poor, limited, frozen]) {
      expect(await looksAt(merchant_id, phone)).toEqual([])
    }
  })
})

describe('a list of names', () => {
  it('is copied by nobody: an hour has its most', async () => {
    const { merchant_id } = await app.shop()
    const members = await Promise.all(
      [0, 1, 2].map(async (n) => {
        const role = n === 0 ? ('OWNER' as const) : ('FINANCE' as const)
        return app.member({ role, merchant_id })
      }),
    )
    const [owner] = members
    if (owner !== undefined) await fund(owner)
    const { phone } = newPayer()
    const replies: Reply[] = []
    for (let n = 0; n < 123; n += 1) {
      const member = members[n % 3]
      if (member !== undefined) replies.push(await quote(member, phone))
    }
    expect(replies.slice(0, 120).every(({ status }) => status === 200)).toBe(true)
    const [last] = replies.slice(-1)
    expect([last?.status, last?.error.code]).toEqual([429, 'rate_limited'])
    const wait_s = Number(last?.headers.get('retry-after'))
    expect(wait_s).toBeGreaterThan(60)
    expect(wait_s).toBeLessThanOrEqual(3600)
    // Others have their own hour, and a quote without a number is no look at anybody.
    expect(await recipient(shop, phone)).toMatchObject({ active: true })
    const bare = { kind: 'PAYOUT', network: 'mtn_bj', amount: '5000', country: 'BJ' }
    const reply = await members[0]?.get(`/quotes/?${new URLSearchParams(bare)}`)
    expect(reply?.status).toBe(200)
  }, 60_000)
})
