// An account with an operator, added while the service runs: payments and payouts over the
// operator's own wire, with answers that are lost, late, doubled or refused; its switch, and the
// rotation of its secrets.

import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Mtn, startMtn } from '../../../simulator/src/dialects/mtn/start.ts'
import type { Service } from '../../src/app/start.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  type AccountDeps,
  type AccountRequest,
  addAccount,
  openedAccount,
  promoteSecrets,
  setNextSecrets,
  switchAccount,
} from '../../src/gateways/accounts.ts'
import { mtnAdapter } from '../../src/gateways/mtn-momo-api/mtn-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import {
  eventually,
  type Json,
  newPayer,
  payer,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { provisioned } from '../setup/mtn-account.ts'
import { encodingsOf } from '../setup/secrets-in-sight.ts'
import { wholeDump } from '../setup/whole-dump.ts'

const code = 'mtn_bj_sandbox'

/** Each line that the service logged, of any weight. */
const logged: string[] = []

let app: TestApp
let second: Service
let third: Service
let mtn: Mtn
let shop: Shop
let staff: SignedInCaller
let deps: AccountDeps

beforeAll(async () => {
  app = await startApp({ log: pino({ level: 'trace' }, { write: (line) => logged.push(line) }) })
  second = await app.another()
  third = await app.another()
  mtn = await startMtn({ port: 0, speed: 4, misbehaves: true })
  shop = await app.shop()
  staff = await app.staff({ role: 'OPERATIONS' })
  deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { settings, secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
  const account = await addAccount(deps, mtnAdapter, {
    ...{ code, name: 'MTN Bénin', environment: 'SANDBOX', country: 'BJ' },
    ...{ settings, secrets },
  })
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  for (const direction of ['COLLECT', 'DISBURSE']) {
    const route = { network: 'mtn_bj', gateway: code, direction, priority: 9 }
    const made = await staff.post('/admin/routes/', route)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
})
afterAll(async () => {
  await app?.stop()
  await mtn?.stop()
})

let planted = 0
/** With four digits it is one of the numbers that misbehave. */
function payerWith(last: string) {
  planted += 1
  return last.length === 2 ? newPayer(last) : payer(`+22901${96_00 + planted}${last}`)
}

const pay = (last: string, by: Shop = shop) =>
  by.pay({ customer: payerWith(last), preferred_gateway: code })

const gatewaysOf = async (id: string): Promise<string[]> => {
  const { data } = await shop.get(`/transactions/${id}/`)
  return data.attempts.map((attempt: Json) => attempt.gateway_code)
}

/** Who was paid, in the end. */
const takenBy = async (id: string): Promise<string> => {
  const { data } = await shop.get(`/transactions/${id}/`)
  return data.attempts.find(({ status }: Json) => status === 'SUCCESS')?.gateway_code
}

const account = async () => {
  const found = await findFoundGateway(app.service.db, code)
  assert(found !== undefined, 'the account is there')
  return found
}

/** The same service in each of its processes. */
const everywhere = () => [app.url, second.public_url, third.public_url]

const booksOf = (phone: string) => mtn.books().filter((one) => `+${one.msisdn}` === phone)

describe('a payment over an account that was added while the service runs', () => {
  it('ends SUCCESS by a callback that woke a question, and the operator took it once', async () => {
    const customer = newPayer('10')
    const begun = await shop.pay({ customer, preferred_gateway: code })
    expect(begun.status, JSON.stringify(begun.body)).toBe(201)
    expect(begun.data).toMatchObject({ status: 'PENDING', next_action: 'APPROVE_ON_PHONE' })
    const paid = await shop.becomes(begun.data.id, 'SUCCESS')
    expect(await gatewaysOf(begun.data.id)).toEqual([code])
    expect(paid).toMatchObject({ debited_amount: '5163.00', currency: 'XOF' })
    expect(booksOf(customer.phone)).toMatchObject([
      { product: 'collection', status: 'SUCCESSFUL', amount: '5163', currency: 'EUR' },
    ])
    const rows = await app.owner<Json[]>`
      select c.proof, c.outcome from gateway_callbacks c
        join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
       where a.transaction_id = ${begun.data.id}`
    expect(rows).toEqual([{ proof: 'UNSIGNED', outcome: 'WOKE' }])
    expect(paid.status_logs).toMatchObject([{ to_status: 'SUCCESS', triggered_by: 'POLLER' }])
  })

  it('works in every process, also in one that was there before the account', async () => {
    const elsewhere = shopWith(second.public_url, shop.merchant_id, shop.key)
    const begun = await pay('10', elsewhere)
    await shop.becomes(begun.data.id, 'SUCCESS')
    expect(await gatewaysOf(begun.data.id)).toEqual([code])
  })

  it.each([
    ['01', 'INSUFFICIENT_FUNDS'],
    ['02', 'NOT_APPROVED'],
    ['03', 'PAYER_NOT_FOUND'],
    ['06', 'GATEWAY_UNAVAILABLE'],
  ])('ends FAILED as the operator says: %s', async (last, failure_code) => {
    const { data } = await pay(last)
    expect(await shop.becomes(data.id, 'FAILED')).toMatchObject({ failure_code })
    // What was accepted and then failed is not tried elsewhere.
    expect(await gatewaysOf(data.id)).toEqual([code])
  })

  it.each(['05', '07', '08', '9912', '9913', '9914'])(
    'ends SUCCESS once, whatever became of the answer: %s',
    async (last) => {
      const customer = payerWith(last)
      const { data } = await shop.pay({ customer, preferred_gateway: code })
      await shop.becomes(data.id, 'SUCCESS', 40_000)
      expect(await gatewaysOf(data.id)).toEqual([code])
      expect(booksOf(customer.phone).map(({ status }) => status)).toEqual(['SUCCESSFUL'])
    },
  )

  it('stays open after a 500, and is sent nowhere else', async () => {
    const customer = payerWith('9911')
    const { data } = await shop.pay({ customer, preferred_gateway: code })
    await shop.get(`/payments/${data.id}/verify/`)
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('PENDING')
    expect([await gatewaysOf(data.id), booksOf(customer.phone)]).toEqual([[code], []])
  })

  it('is not booked when another amount came than was asked for', async () => {
    const before = await shop.balance()
    const { data } = await pay('9910')
    await eventually(async () => {
      const [row] = await app.owner<Json[]>`
        select type, amount from incidents where transaction_id = ${data.id}`
      expect(row).toMatchObject({ type: 'AMOUNT_MISMATCH', amount: 516_200n })
    })
    expect(await shop.balance()).toEqual(before)
  })

  it('outlives the end of every token of the operator', async () => {
    mtn.dropTokens()
    const begun = await Promise.all(['10', '10', '10'].map((last) => pay(last)))
    for (const { status, body } of begun) expect(status, JSON.stringify(body)).toBe(201)
    for (const { data } of begun) await shop.becomes(data.id, 'SUCCESS')
  })
})

describe('a payout over the account', () => {
  it('is paid once, and one that fails gives its hold back', async () => {
    await shop.post('/sandbox/balances/', { country: 'BJ', amount: '50000' })
    const member = await app.member({ merchant_id: shop.merchant_id })
    const payOut = (last: string) =>
      member.post('/payouts/initialize/', {
        ...{ amount: '1000', currency: 'XOF', country: 'BJ', method: 'mtn_bj' },
        recipient: { msisdn: newPayer(last).phone },
        customer: { email: 'awa@example.com', first_name: 'Awa', last_name: 'Diop' },
        preferred_gateway: code,
      })
    const paid = await payOut('10')
    expect(paid.status, JSON.stringify(paid.body)).toBe(201)
    await shop.becomes(paid.data.id, 'SUCCESS')
    const books = mtn.books().filter(({ product }) => product === 'disbursement')
    expect(books.map(({ status }) => status)).toEqual(['SUCCESSFUL'])
    const before = await shop.balance()
    const failed = await payOut('03')
    const ended = await shop.becomes(failed.data.id, 'FAILED')
    expect(ended).toMatchObject({ failure_code: 'RECIPIENT_NOT_FOUND' })
    const limited = await payOut('01')
    expect(await shop.becomes(limited.data.id, 'FAILED')).toMatchObject({
      failure_code: 'LIMIT_REACHED',
    })
    expect(await shop.balance()).toEqual(before)
  })
})

describe('a secret in something else', () => {
  it('is found however it is written', () => {
    const secret = 'a0b1c2d3-e4f5'
    const found = (text: string) => encodingsOf(secret).some((one) => text.includes(one))
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const bytes = Buffer.from(`${before}${secret}:more`)
      for (const way of ['utf8', 'hex', 'base64', 'base64url'] as const) {
        expect([before, way, found(bytes.toString(way))]).toEqual([before, way, true])
      }
    }
    expect(found('a0b1c2d3')).toBe(false)
  })
})

describe('the account', () => {
  it('is switched off in every process at once, and what it has still ends', async () => {
    const slow = await pay('10')
    await switchAccount(deps, await account(), { is_active: false, why: 'it is down' })
    for (const url of everywhere()) {
      const { data } = await pay('10', shopWith(url, shop.merchant_id, shop.key))
      expect(await gatewaysOf(data.id)).toEqual(['simulator_a'])
    }
    await shop.becomes(slow.data.id, 'SUCCESS')
    await switchAccount(deps, await account(), { is_active: true, why: '' })
    expect(await gatewaysOf((await pay('10')).data.id)).toEqual([code])
  })

  it('gets new secrets without a refused call, and nothing shows them', async () => {
    const fresh = await provisioned(mtn.url, new URL(app.url).hostname)
    await setNextSecrets(deps, mtnAdapter, { account: await account(), secrets: fresh.secrets })
    const before = await pay('10')
    await promoteSecrets(deps, await account())
    const after = await Promise.all(['10', '10', '10', '10'].map((last) => pay(last)))
    for (const { data } of [before, ...after]) await shop.becomes(data.id, 'SUCCESS')
    for (const { data } of after) expect(await gatewaysOf(data.id)).toEqual([code])
    const sinks = { database: await wholeDump(app), logs: logged.join('').toLowerCase() }
    expect(sinks.logs).toContain(code)
    for (const [name, text] of Object.entries(sinks)) {
      const shown = Object.entries(fresh.secrets).filter(([, secret]) =>
        encodingsOf(secret).some((one) => text.includes(one.toLowerCase())),
      )
      expect(shown.map(([key]) => `${key} in the ${name}`)).toEqual([])
    }
  })

  it('loses no call of three processes while it is switched, renamed and given secrets', async () => {
    const shops = everywhere().map((url) => shopWith(url, shop.merchant_id, shop.key))
    const before = mtn.books().length
    const round = () => Promise.all(shops.map((one) => pay('10', one)))
    const paid = [round()]
    for (const act of ['off', 'on', 'secrets', 'off', 'on'] as const) {
      if (act === 'secrets') {
        const { secrets } = await provisioned(mtn.url, new URL(app.url).hostname)
        await setNextSecrets(deps, mtnAdapter, { account: await account(), secrets })
        await promoteSecrets(deps, await account())
      } else await switchAccount(deps, await account(), { is_active: act === 'on', why: act })
      paid.push(round())
    }
    const made = (await Promise.all(paid)).flat()
    // One whose process met the change in the middle of its call is taken up when its lease ends.
    for (const { data } of made) await shop.becomes(data.id, 'SUCCESS', 120_000)
    // One whose account was switched off under it was never sent, and went on elsewhere.
    const taken = await Promise.all(made.map(({ data }) => takenBy(data.id)))
    expect(mtn.books().length - before).toBe(taken.filter((one) => one === code).length)
    for (const one of shops)
      expect(await gatewaysOf((await pay('10', one)).data.id)).toEqual([code])
  }, 180_000)

  it('does not open with the secrets of another row, and refuses what is no secret', async () => {
    const { settings, secrets } = await provisioned(mtn.url, '127.0.0.1')
    const request: AccountRequest = {
      ...{ code: 'mtn_bj_other', name: 'Other', country: 'BJ', settings, secrets },
      environment: 'SANDBOX',
    }
    const bad = { ...secrets, collection_api_user: randomBytes(8).toString('hex') }
    await expect(addAccount(deps, mtnAdapter, { ...request, secrets: bad })).rejects.toThrow(
      'collection_api_user does not have the right form',
    )
    const elsewhere = { base_url: 'https://a.example', target_environment: 'mtnbenin' }
    const live: AccountRequest = { ...request, environment: 'LIVE', settings: elsewhere }
    await expect(addAccount(deps, mtnAdapter, live)).rejects.toThrow('in LIVE only https://')
    const other = await addAccount(deps, mtnAdapter, request)
    await app.owner`
      update gateway_secrets a set sealed = b.sealed
        from gateway_secrets b join gateways g on g.id = b.gateway_id and g.code = ${code}
       where a.gateway_id = ${other.id} and b.state = 'CURRENT'`
    const row = await findFoundGateway(app.service.db, 'mtn_bj_other')
    expect(() => row && openedAccount(deps.keyring, row)).toThrow('another row')
  })
})
