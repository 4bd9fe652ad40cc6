// The dialect of MTN MoMo, driven by a client that we did not write and did not change: npm
// `mtn-momo`, from a package of its own (`simulator/foreign`), which `npm run proof` installs.
// Without it these tests are counted as skipped, and say so.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, type TestContext } from 'vitest'
import { wholeIt } from '../../../server/test/setup/proof-size.ts'
import { type Mtn, startMtn } from '../../src/dialects/mtn/start.ts'

type Payment = { status: string; amount: string; currency: string; financialTransactionId: string }
type Order = Readonly<Record<string, unknown>>
type Product = {
  getTransaction(id: string): Promise<Payment>
  getBalance(): Promise<{ availableBalance: string; currency: string }>
  isPayerActive(id: string): Promise<unknown>
}
type Foreign = {
  Users(config: object): {
    create(host: string): Promise<string>
    login(id: string): Promise<{ apiKey: string }>
  }
  Collections(config: object): Product & { requestToPay(order: Order): Promise<string> }
  Disbursements(config: object): Product & { transfer(order: Order): Promise<string> }
}

const installed = new URL('../../foreign/node_modules/mtn-momo/package.json', import.meta.url)
const primaryKey = '0123456789abcdef0123456789abcdef'
let mtn: Mtn
let client: Foreign
let user: { primaryKey: string; userId: string; userSecret: string }

beforeAll(async () => {
  mtn = await startMtn({ port: 0, speed: 4 })
})
afterAll(() => mtn?.stop())

/** Loud where it is not there: a proof that did not run is none. */
async function open({ skip }: TestContext): Promise<Foreign> {
  skip(!existsSync(installed), 'npm mtn-momo is not installed: npm run foreign')
  const require = createRequire(new URL('../../foreign/package.json', import.meta.url))
  const { create }: { create(config: object): Foreign } = require('mtn-momo')
  client ??= create({ callbackHost: 'shop.example', baseUrl: mtn.url, environment: 'sandbox' })
  const users = client.Users({ primaryKey })
  const userId = await users.create('shop.example')
  const { apiKey: userSecret } = await users.login(userId)
  user = { primaryKey, userId, userSecret }
  return client
}

const order = (party: 'payer' | 'payee', partyId: string): Order => ({
  amount: '50',
  currency: 'EUR',
  externalId: '123456',
  [party]: { partyIdType: 'MSISDN', partyId },
  payerMessage: 'testing',
  payeeNote: 'hello',
})

const settled = () => new Promise((resolve) => setTimeout(resolve, 400))

describe('the dialect, by a client that we did not write', () => {
  wholeIt('makes a user and a key, and collects', async (context) => {
    const collections = (await open(context)).Collections(user)
    const id = await collections.requestToPay(order('payer', '256774290781'))
    expect(await collections.getTransaction(id)).toMatchObject({ status: 'PENDING' })
    await settled()
    expect(await collections.getTransaction(id)).toEqual({
      financialTransactionId: expect.stringMatching(/^\d{10}$/),
      externalId: '123456',
      amount: '50',
      currency: 'EUR',
      payer: { partyIdType: 'MSISDN', partyId: '256774290781' },
      payerMessage: 'testing',
      payeeNote: 'hello',
      status: 'SUCCESSFUL',
    })
    expect(await collections.getBalance()).toEqual({ availableBalance: '50', currency: 'EUR' })
    expect(await collections.isPayerActive('256774290781')).toEqual({ result: true })
  })

  wholeIt('pays, and shows less in the account afterwards', async (context) => {
    const disbursements = (await open(context)).Disbursements(user)
    const before = await disbursements.getBalance()
    const id = await disbursements.transfer(order('payee', '256774290781'))
    await settled()
    expect(await disbursements.getTransaction(id)).toMatchObject({ status: 'SUCCESSFUL' })
    const after = await disbursements.getBalance()
    expect(Number(before.availableBalance) - Number(after.availableBalance)).toBe(50)
    expect(await disbursements.isPayerActive('256774290781')).toBe(true)
  })

  wholeIt(
    'refuses as its published numbers do, in words that the client knows',
    async (context) => {
      const foreign = await open(context)
      const failures = {
        '46733123451': 'ApprovalRejectedError',
        '46733123452': 'ExpiredError',
        '46733123455': 'PayerNotFoundError',
        '46733123461': 'InternalProcessingError',
        '46733123462': 'ServiceUnavailableError',
      }
      const collections = foreign.Collections(user)
      for (const [number, name] of Object.entries(failures)) {
        const id = await collections.requestToPay(order('payer', number))
        await settled()
        await expect(collections.getTransaction(id)).rejects.toMatchObject({ name })
      }
      const disbursements = foreign.Disbursements(user)
      const id = await disbursements.transfer(order('payee', '46733123455'))
      await settled()
      await expect(disbursements.getTransaction(id)).rejects.toMatchObject({
        name: 'NotEnoughFundsError',
      })
    },
  )

  wholeIt(
    'refuses a key twice, another currency, and a callback to another host',
    async (context) => {
      const foreign = await open(context)
      const disbursements = foreign.Disbursements(user)
      const referenceId = crypto.randomUUID()
      const one = { ...order('payee', '256774290781'), referenceId }
      expect(await disbursements.transfer(one)).toBe(referenceId)
      await expect(disbursements.transfer(one)).rejects.toMatchObject({
        name: 'ResourceAlreadyExistError',
      })
      const collections = foreign.Collections(user)
      const wrong = { ...order('payer', '256774290781'), currency: 'UGX' }
      await expect(collections.requestToPay(wrong)).rejects.toMatchObject({
        name: 'InvalidCurrencyError',
      })
      const elsewhere = { ...order('payer', '256774290781'), callbackUrl: 'https://other.example/' }
      await expect(collections.requestToPay(elsewhere)).rejects.toMatchObject({
        name: 'InvalidCallbackUrlHostError',
      })
      await expect(collections.getTransaction(crypto.randomUUID())).rejects.toMatchObject({
        name: 'ResourceNotFoundError',
      })
    },
  )
})
