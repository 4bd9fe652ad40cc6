// A part of a payment that somebody gives back at the operator's own desk, of which the operator
// says no sum; and an operator that does not find what it has made itself. Nothing is booked by
// either: staff see an alarm with the reference, and every check of the account says so.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fedapay, startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { addAccount, switchAccount } from '../../src/gateways/accounts.ts'
import type { WireBetween } from '../../src/gateways/conformance-bench.ts'
import { fedapayAdapter } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { eventually, type Json, newPayer, type Shop, startApp, type TestApp } from '../harness.ts'
import { fedapayAccount } from '../setup/fedapay-account.ts'
import { booksAgree } from '../setup/incidents.ts'
import { wireBetween } from '../setup/wire-between.ts'

const code = 'fedapay_desk'

let app: TestApp
let fedapay: Fedapay
let wire: WireBetween
let shop: Shop
let gateway_id: string
let staff: Awaited<ReturnType<TestApp['staff']>>

beforeAll(async () => {
  app = await startApp()
  fedapay = await startFedapay({ port: 0, speed: 10 })
  wire = await wireBetween(fedapay.url)
  shop = await app.shop()
  staff = await app.staff({ role: 'OPERATIONS' })
  const deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
  const { secrets } = fedapayAccount(fedapay, `${app.url}/callbacks/${code}/`)
  const account = await addAccount(deps, fedapayAdapter, {
    ...{ code, name: 'FedaPay', environment: 'SANDBOX', country: 'BJ', secrets },
    settings: { base_url: wire.url },
  })
  gateway_id = account.id
  await switchAccount(deps, account, { is_active: true, why: 'a story' })
  const route = { network: 'mtn_bj', gateway: code, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
}, 60_000)
afterAll(async () => {
  await app?.stop()
  await wire?.close()
  await fedapay?.stop()
})

const alarms = () => app.owner<Json[]>`
  select kind, call, about from gateway_alarms where gateway_id = ${gateway_id} order by kind`

async function found(what: string, language: string): Promise<Json> {
  const headers = { 'accept-language': language }
  const { data } = await staff.post(`/admin/gateways/${gateway_id}/check/`, {}, headers)
  const findings: Json[] = data.findings
  return findings.find((one) => one.what === what)
}

async function attemptOf(id: string): Promise<Json> {
  const [row] = await app.owner<Json[]>`
    select status, our_key, external_reference from attempts where transaction_id = ${id}`
  return row
}

const back = 'given back in part at the operator'

describe('a payment of which a part was given back at the operator', () => {
  it('stays paid, and is an alarm that every check shows in both languages', async () => {
    expect(await found(back, 'en')).toMatchObject({ is: 'PASS', found: 'none within 7 days' })
    const { data } = await shop.pay({ customer: newPayer('10'), preferred_gateway: code })
    await shop.becomes(data.id, 'SUCCESS')
    const balance = await shop.balance()
    const { external_reference } = await attemptOf(data.id)
    fedapay.giveBack(external_reference, 'PART')
    await eventually(async () =>
      expect(await alarms()).toEqual([
        { kind: 'GIVEN_BACK', call: 'ANY', about: external_reference },
      ]),
    )
    const en = await found(back, 'en')
    expect([en.is, en.fix]).toEqual(['WARN', expect.stringContaining('adjustment')])
    expect(en.found).toMatch(new RegExp(`^1, last .* UTC: ${external_reference}$`))
    const fr = await found(back, 'fr')
    expect([fr.title, fr.is]).toEqual(['rendu en partie chez l’opérateur', 'WARN'])
    expect(fr.fix).toContain('régularisation')
    const opened = await app.owner`select 1 from incidents where transaction_id = ${data.id}`
    expect([opened.count, await shop.balance()]).toEqual([0, balance])
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('SUCCESS')
    await booksAgree(app)
  }, 60_000)

  it('is paid, too, where that is the first that is learnt of it', async () => {
    const { data } = await shop.pay({ customer: newPayer('04'), preferred_gateway: code })
    const { external_reference, our_key } = await attemptOf(data.id)
    const about = { direction: 'COLLECT', is_refund: false, our_key, external_reference } as const
    fedapay.resolve({ ...about, outcome: 'SUCCESS', failure_code: '' })
    fedapay.giveBack(external_reference, 'PART')
    await shop.becomes(data.id, 'SUCCESS', 40_000)
    await eventually(async () =>
      expect((await alarms()).map(({ about }) => about)).toContain(external_reference),
    )
    await booksAgree(app)
  }, 90_000)
})

describe('a payment that its operator made and does not find', () => {
  it('stays as it is, and is an alarm', async () => {
    const { data } = await shop.pay({ customer: newPayer('04'), preferred_gateway: code })
    const { external_reference } = await attemptOf(data.id)
    const missing = { status: 404, body: JSON.stringify({ message: 'Ressource introuvable' }) }
    wire.spoils(({ method }) =>
      method === 'GET' ? { reaches: false, answer: missing } : undefined,
    )
    await app.owner`
      update attempts set due_at = now() - interval '1 second', asked_at = null
       where transaction_id = ${data.id}`
    await shop.get(`/payments/${data.id}/verify/`)
    await eventually(async () =>
      expect(await alarms()).toContainEqual({
        ...{ kind: 'CONTRADICTION', call: 'ANY', about: external_reference },
      }),
    )
    wire.spoils(undefined)
    expect((await shop.get(`/transactions/${data.id}/`)).data.status).toBe('PENDING')
    const odd = await found('contradictions', 'fr')
    expect([odd.is, odd.found]).toEqual(['WARN', expect.stringContaining(external_reference)])
  }, 60_000)
})
