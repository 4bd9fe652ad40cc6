// Secrets of an account are replaced while payments come in: no call is refused, and callbacks that
// are signed with the former secret prove what they say until it is retired. Of every operator whose
// callbacks a secret of ours and theirs signs.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startFedapay } from '../../../simulator/src/dialects/fedapay/start.ts'
import { startStripe } from '../../../simulator/src/dialects/stripe/start.ts'
import { startWave } from '../../../simulator/src/dialects/wave/start.ts'
import { findFoundGateway } from '../../src/gateways/account-store.ts'
import {
  type AccountDeps,
  addAccount,
  promoteSecrets,
  retireSecrets,
  setNextSecrets,
  switchAccount,
} from '../../src/gateways/accounts.ts'
import type { Account, AdapterModule } from '../../src/gateways/adapter.ts'
import { fedapayAdapter } from '../../src/gateways/fedapay-api/fedapay-gateway.ts'
import { stripeAdapter } from '../../src/gateways/stripe-checkout/stripe-gateway.ts'
import { waveAdapter } from '../../src/gateways/wave-business-api/wave-gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { assert } from '../../src/platform/errors.ts'
import {
  eventually,
  type Json,
  newPayer,
  payer,
  type Shop,
  type SignedInCaller,
  startApp,
  type TestApp,
} from '../harness.ts'
import { fedapayAccount } from '../setup/fedapay-account.ts'
import { wholeIt } from '../setup/proof-size.ts'
import { stripeAccount } from '../setup/stripe-account.ts'
import { webhookSecret, withWave } from '../setup/wave-account.ts'

let app: TestApp
let shop: Shop
let staff: SignedInCaller
let deps: AccountDeps
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
  staff = await app.staff({ role: 'OPERATIONS' })
  deps = { db: app.service.db, keyring: openKeyring(app.config.secret_key ?? '') }
})
afterAll(async () => {
  await app?.stop()
  for (const stop of stops) await stop()
})

type Operator = Readonly<{
  adapter: AdapterModule
  account: Account
  network: string
  /** What a call to pay says beside. */
  call: () => object
  /** Has its payer pay, where nobody does so by themselves. */
  paid?: (our_key: string) => Promise<unknown>
  fresh: string
}>

let payers = 0

const operators: Readonly<Record<string, (url: string) => Promise<Operator>>> = {
  async wave(url) {
    const wave = await startWave({ port: 0, speed: 20, auto_pay: true })
    stops.push(() => wave.stop())
    wave.register({ url, secrets: [webhookSecret], strategy: 'SIGNING_SECRET' })
    const call = () => {
      payers += 1
      const customer = payer(`+22177${String(payers).padStart(5, '0')}55`)
      return { country: 'SN', network: 'wave_sn', customer }
    }
    return {
      ...{ adapter: waveAdapter, account: withWave(wave), network: 'wave_sn', call },
      fresh: 'wave_sn_WHS_another_one_0000000',
    }
  },
  async stripe(url) {
    const stripe = await startStripe({ port: 0, speed: 20 })
    stops.push(() => stripe.stop())
    const call = () => ({
      ...{ amount: '100', currency: 'USD', country: 'XX', network: 'card' },
      ...{ customer: newPayer('10'), return_url: 'https://shop.example/back' },
    })
    return {
      ...{ adapter: stripeAdapter, account: await stripeAccount(stripe.url, url) },
      ...{ network: 'card', call, paid: (our_key) => stripe.pay(our_key), fresh: 'whsec_fresh123' },
    }
  },
  async fedapay(url) {
    const fedapay = await startFedapay({ port: 0, speed: 20 })
    stops.push(() => fedapay.stop())
    const account = fedapayAccount(fedapay, url)
    const call = () => ({ customer: newPayer('55') })
    return { adapter: fedapayAdapter, account, network: 'mtn_bj', call, fresh: 'wh_another_one' }
  },
}

const accountOf = async (code: string) => {
  const found = await findFoundGateway(deps.db, code)
  assert(found !== undefined, 'the account is there')
  return found
}

async function proofOf(id: string): Promise<string | undefined> {
  const [row] = await app.owner<Json[]>`
    select c.proof from gateway_callbacks c
      join attempts a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
     where a.transaction_id = ${id} order by c.created_at, c.id limit 1`
  return row?.proof
}

/** An account with the operator, switched on, with a route; `next`: the secrets after its own. */
async function routed(name: string, code: string) {
  const open = operators[name]
  assert(open !== undefined, 'it is one of them')
  const operator = await open(`${app.url}/callbacks/${code}/`)
  const { adapter, network, fresh } = operator
  const { country, settings, secrets } = operator.account
  const made = await addAccount(deps, adapter, {
    ...{ code, name, environment: 'SANDBOX', country, settings, secrets },
  })
  await switchAccount(deps, made, { is_active: true, why: 'a story' })
  const route = { network, gateway: code, direction: 'COLLECT', priority: 9 }
  expect((await staff.post('/admin/routes/', route)).status).toBe(201)
  return { ...operator, next: { ...secrets, webhook_secret: fresh } }
}

describe('secrets of an account', () => {
  it.each(Object.keys(operators))(
    'of %s are replaced under load',
    async (name) => {
      const code = `${name}_turns`
      const { adapter, call, paid, next } = await routed(name, code)

      const pay = async (): Promise<string> => {
        const { status, data, body } = await shop.pay({ ...call(), preferred_gateway: code })
        expect(status, JSON.stringify(body)).toBe(201)
        // On a slow machine the operator may have spoken before this answer.
        expect(['PENDING', 'SUCCESS']).toContain(data.status)
        const [attempt] = await app.owner<Json[]>`
        select our_key, gateway_code from attempts where transaction_id = ${data.id}`
        expect(attempt.gateway_code).toBe(code)
        await paid?.(attempt.our_key)
        return data.id
      }
      // Payments are made before, while and after each act.
      const during = async (act: () => Promise<unknown>): Promise<string[]> => {
        const [first, second] = [Array.from({ length: 4 }, pay), act()]
        const ids = await Promise.all([...first, ...Array.from({ length: 4 }, pay)])
        await second
        return ids
      }
      const ids = [
        ...(await during(async () =>
          setNextSecrets(deps, adapter, { account: await accountOf(code), secrets: next }),
        )),
        ...(await during(async () => promoteSecrets(deps, await accountOf(code)))),
        ...(await during(async () => undefined)),
      ]
      for (const id of ids) {
        await shop.becomes(id, 'SUCCESS', 30_000)
        expect(await proofOf(id)).toBe('SIGNED')
      }
      await retireSecrets(deps, await accountOf(code))
      // Every process reads it anew within a moment.
      await eventually(async () => {
        const id = await pay()
        await eventually(async () => expect(await proofOf(id)).toBeDefined())
        expect(await proofOf(id)).toBe('UNSIGNED')
      }, 40_000)
    },
    90_000,
  )

  // As many payments as one process makes beside their payers and their operator.
  wholeIt(
    'of wave are replaced while payments come as fast as they can',
    async () => {
      const code = 'wave_rate'
      const { adapter, call, next } = await routed('wave', code)
      const ids: string[] = []
      const refused: unknown[] = []
      let is_over = false
      const payOn = async (): Promise<void> => {
        while (!is_over) {
          const { status, data, body } = await shop.pay({ ...call(), preferred_gateway: code })
          if (status === 201) ids.push(data.id)
          else refused.push(body)
        }
      }
      const paying = Array.from({ length: at_once }, payOn)
      const began = performance.now()
      await pause(phase_ms)
      await setNextSecrets(deps, adapter, { account: await accountOf(code), secrets: next })
      await pause(phase_ms)
      const before = ids.length
      await promoteSecrets(deps, await accountOf(code))
      await pause(phase_ms)
      const rate = ids.length / ((performance.now() - began) / 1000)
      is_over = true
      await Promise.all(paying)
      console.info(`${Math.round(rate)} payments a second, ${ids.length} in all`)
      expect(refused).toEqual([])
      expect(before).toBeGreaterThan(0)
      expect(ids.length).toBeGreaterThan(before)

      await eventually(async () => expect(await statusesOf(code)).toEqual(['SUCCESS']), 240_000)
      expect(await proofsOf(code)).toEqual(['SIGNED'])
      await retireSecrets(deps, await accountOf(code))
      await eventually(async () => {
        await shop.pay({ ...call(), preferred_gateway: code })
        await pause(500)
        expect(await proofsOf(code)).toEqual(['SIGNED', 'UNSIGNED'])
      }, 40_000)
    },
    400_000,
  )
})

const at_once = 24
const phase_ms = 10_000
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function statusesOf(code: string): Promise<string[]> {
  const rows = await app.owner<Json[]>`
    select distinct t.status from transactions t
      join attempts a on a.merchant_id = t.merchant_id and a.transaction_id = t.id
     where a.gateway_code = ${code} order by 1`
  return rows.map(({ status }) => status)
}

/** Of whatever came from this account's operator. */
async function proofsOf(code: string): Promise<string[]> {
  const rows = await app.owner<Json[]>`
    select distinct c.proof from gateway_callbacks c join gateways g on g.id = c.gateway_id
     where g.code = ${code} order by 1`
  return rows.map(({ proof }) => proof)
}
