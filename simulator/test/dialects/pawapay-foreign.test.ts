// The dialect of pawaPay, driven by a client that we did not write and did not change (npm
// `pawapay-sdk`), and its signatures judged by a library that we did not write (npm
// `http-message-signatures`, which the operator's own sample uses). From a package of its own
// (`simulator/foreign`), which `npm run proof` installs. Without it these tests are counted as
// skipped, and say so.

import { createPublicKey, randomUUID, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, type TestContext } from 'vitest'
import { wholeIt } from '../../../server/test/setup/proof-size.ts'
import { type Pawapay, startPawapay } from '../../src/dialects/pawapay/start.ts'

type Fields = Readonly<Record<string, unknown>>
type Result = Readonly<{ success: boolean; status: number; data?: Fields; error?: Fields }>
type Options = Readonly<{ options: Readonly<{ baseURL: string }> }>
type ById = (id: string, options: Options) => Promise<Result>
type Create = (order: Fields, options: Options) => Promise<Result>
type Read = (options: Options) => Promise<Result>
type Foreign = Readonly<{
  requestDeposit: Create
  checkDepositStatus: ById
  resendDepositCallback: ById
  requestPayout: Create
  checkPayoutStatus: ById
  initiateRefund: Create
  checkRefundStatus: ById
  getWalletBalances: Read
  getActiveConfiguration: Read
  getProviderAvailability: Read
  getPublicKeys: Read
  getProviderPrediction(phone: string, options: Options): Promise<Result>
}>

type Verifier = Readonly<{
  httpbis: Readonly<{
    verifyMessage(
      config: object,
      request: Readonly<{ method: string; url: string; headers: Fields }>,
    ): Promise<boolean | null>
  }>
}>

const packageOf = (name: string) =>
  new URL(`../../foreign/node_modules/${name}/package.json`, import.meta.url)
const foreignRequire = createRequire(new URL('../../foreign/package.json', import.meta.url))

let pawapay: Pawapay
let at: Options

beforeAll(async () => {
  pawapay = await startPawapay({ port: 0, speed: 20 })
  at = { options: { baseURL: `${pawapay.url}/v2` } }
})
afterAll(() => pawapay?.stop())

/** Loud where it is not there: a proof that did not run is none. */
function open({ skip }: TestContext, token = pawapay.token): Foreign {
  skip(!existsSync(packageOf('pawapay-sdk')), 'npm pawapay-sdk is not installed: npm run foreign')
  const { createPawaPayClient } = foreignRequire('pawapay-sdk')
  return createPawaPayClient(token, { environment: 'sandbox', apiVersion: 'v2' })
}

const order = (idName: 'depositId' | 'payoutId', phoneNumber: string): Fields => ({
  [idName]: randomUUID(),
  amount: '100',
  currency: 'XOF',
  [idName === 'depositId' ? 'payer' : 'recipient']: {
    type: 'MMO',
    accountDetails: { phoneNumber, provider: 'MTN_MOMO_BEN' },
  },
  customerMessage: 'Demo order',
  clientReferenceId: 'INV-1',
})

const idOf = (fields: Fields, name: string) => String(fields[name])
const settled = () => new Promise((resolve) => setTimeout(resolve, 200))

describe('the dialect, by a client that we did not write', () => {
  wholeIt('collects, and shows what it took', async (context) => {
    const client = open(context)
    const one = order('depositId', '22951345789')
    expect(await client.requestDeposit(one, at)).toMatchObject({
      ...{ success: true, status: 200 },
      data: { depositId: one['depositId'], status: 'ACCEPTED', nextStep: 'FINAL_STATUS' },
    })
    expect(await client.requestDeposit(one, at)).toMatchObject({
      data: { status: 'DUPLICATE_IGNORED' },
    })
    await settled()
    const shown = await client.checkDepositStatus(idOf(one, 'depositId'), at)
    expect(shown.data).toMatchObject({
      status: 'FOUND',
      data: {
        ...{ depositId: one['depositId'], status: 'COMPLETED', amount: '100.00' },
        ...{ currency: 'XOF', country: 'BEN', clientReferenceId: 'INV-1' },
        payer: { accountDetails: { phoneNumber: '22951345789', provider: 'MTN_MOMO_BEN' } },
      },
    })
    const nobody = await client.checkDepositStatus(randomUUID(), at)
    expect(nobody.data).toEqual({ status: 'NOT_FOUND' })
    const resent = await client.resendDepositCallback(idOf(one, 'depositId'), at)
    expect(resent.data).toMatchObject({ status: 'ACCEPTED' })
  })

  wholeIt('pays, gives back, and shows less in the wallet afterwards', async (context) => {
    const client = open(context)
    const held = async () => {
      const { data } = await client.getWalletBalances(at)
      const all = data?.['balances'] as { country: string; balance: string }[]
      return Number(all.find(({ country }) => country === 'BEN')?.balance)
    }
    const [deposit, payout] = [order('depositId', '22951345789'), order('payoutId', '22951345789')]
    await client.requestDeposit(deposit, at)
    await settled()
    const before = await held()
    await client.requestPayout(payout, at)
    const refund = { refundId: randomUUID(), depositId: deposit['depositId'], amount: '40' }
    const begun = await client.initiateRefund({ ...refund, currency: 'XOF' }, at)
    expect(begun.data).toMatchObject({ refundId: refund.refundId, status: 'ACCEPTED' })
    await settled()
    const paid = await client.checkPayoutStatus(idOf(payout, 'payoutId'), at)
    expect(paid.data).toMatchObject({ data: { status: 'COMPLETED' } })
    const back = await client.checkRefundStatus(refund.refundId, at)
    expect(back.data).toMatchObject({ data: { status: 'COMPLETED', amount: '40.00' } })
    expect(before - (await held())).toBe(140)
    const more = { refundId: randomUUID(), depositId: deposit['depositId'], amount: '61' }
    const refused = await client.initiateRefund({ ...more, currency: 'XOF' }, at)
    expect(refused.data).toMatchObject({
      ...{ status: 'REJECTED', failureReason: { failureCode: 'AMOUNT_TOO_LARGE' } },
    })
  })

  wholeIt('fails as its published numbers do', async (context) => {
    const client = open(context)
    const failures = {
      '22951345029': 'PAYER_NOT_FOUND',
      '22951345039': 'PAYMENT_NOT_APPROVED',
      '22951345069': 'UNSPECIFIED_FAILURE',
    }
    for (const [number, failureCode] of Object.entries(failures)) {
      const one = order('depositId', number)
      await client.requestDeposit(one, at)
      await settled()
      const shown = await client.checkDepositStatus(idOf(one, 'depositId'), at)
      expect(shown.data).toMatchObject({
        data: { status: 'FAILED', failureReason: { failureCode } },
      })
    }
    const stuck = order('depositId', '22951345129')
    await client.requestDeposit(stuck, at)
    await settled()
    const shown = await client.checkDepositStatus(idOf(stuck, 'depositId'), at)
    expect(shown.data).toMatchObject({ data: { status: 'SUBMITTED' } })
  })

  wholeIt('shows its lists, and refuses another token and what is malformed', async (context) => {
    const client = open(context)
    expect((await client.getActiveConfiguration(at)).data).toMatchObject({
      signatureConfiguration: { signedCallbacks: true },
    })
    expect((await client.getProviderAvailability(at)).success).toBe(true)
    expect((await client.getProviderPrediction('22997000010', at)).data).toMatchObject({
      ...{ country: 'BEN', phoneNumber: '22997000010' },
    })
    const stranger = await open(context, 'another').requestDeposit(
      order('depositId', '22951345789'),
      at,
    )
    expect(stranger).toMatchObject({
      ...{ success: false, status: 403 },
      error: { failureReason: { failureCode: 'AUTHENTICATION_ERROR' } },
    })
    const bad = await client.requestDeposit({ ...order('depositId', '22951345789'), more: 1 }, at)
    expect(bad).toMatchObject({
      ...{ status: 400, error: { failureReason: { failureCode: 'UNSUPPORTED_PARAMETER' } } },
    })
  })
})

describe('its signature, by a library that we did not write', () => {
  wholeIt('is over the callback as it was sent, and over nothing else', async (context) => {
    const client = open(context)
    context.skip(
      !existsSync(packageOf('http-message-signatures')),
      'npm http-message-signatures is not installed: npm run foreign',
    )
    const { httpbis }: Verifier = foreignRequire('http-message-signatures')
    const received: { headers: Fields; body: string }[] = []
    const receiver = createServer(async (request, response) => {
      received.push({ headers: request.headers, body: await text(request) })
      response.end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await new Promise((resolve) => receiver.once('listening', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    const url = `http://127.0.0.1:${port}/callbacks/pawapay`
    pawapay.setCallbacks({ deposits: url })
    await client.requestDeposit(order('depositId', '22951345789'), at)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBeGreaterThan(0)
    const { data } = await client.getPublicKeys(at)
    const [published] = data as unknown as { id: string; key: string }[]
    const key = createPublicKey(published?.key ?? '')
    const headers = received[0]?.headers ?? {}
    const keyLookup = async ({ keyid }: { keyid: string }) =>
      keyid === published?.id
        ? {
            verify: async (signed: Buffer, signature: Buffer) =>
              verify('sha256', signed, key, signature),
          }
        : null
    const judge = (changes: Partial<{ method: string; url: string; headers: Fields }>) =>
      httpbis.verifyMessage({ keyLookup }, { method: 'POST', url, headers, ...changes })
    expect(await judge({})).toBe(true)
    expect(await judge({ method: 'PUT' })).not.toBe(true)
    expect(await judge({ url: `${url}/other` })).not.toBe(true)
    const digest = { ...headers, 'content-digest': 'sha-512=:AAAA:' }
    expect(await judge({ headers: digest })).not.toBe(true)
  })
})
