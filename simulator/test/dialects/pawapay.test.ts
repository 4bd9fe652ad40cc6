// The dialect of pawaPay by plain HTTP: what it refuses and in which form, pages and queues, refunds,
// callbacks that are sent again, and what survives a restart.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Pawapay,
  type PawapayOptions,
  startPawapay,
} from '../../src/dialects/pawapay/start.ts'

async function start(options: Partial<PawapayOptions> = {}): Promise<Pawapay> {
  const pawapay = await startPawapay({ port: 0, speed: 20, ...options })
  onTestFinished(() => pawapay.stop().catch(() => undefined))
  return pawapay
}

type Body = ReturnType<typeof JSON.parse>

async function call({ url, token }: Pawapay, method: string, path: string, body?: unknown) {
  const reply = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const said: Body = JSON.parse(await reply.text())
  return { status: reply.status, said, code: said.failureReason?.failureCode }
}

const deposit = (changes: object = {}, account: object = {}) => ({
  ...{ depositId: randomUUID(), amount: '50', currency: 'XOF' },
  payer: {
    type: 'MMO',
    accountDetails: { phoneNumber: '22997000010', provider: 'MTN_MOMO_BEN', ...account },
  },
  ...changes,
})

const payout = (number = '22997000010') => {
  const { depositId: payoutId, payer: recipient, ...rest } = deposit({}, { phoneNumber: number })
  return { payoutId, recipient, ...rest }
}

const stateOf = async (pawapay: Pawapay, path: string): Promise<Body> =>
  (await call(pawapay, 'GET', path)).said.data

describe('the dialect', () => {
  it('refuses what its operator would refuse, by its codes', async () => {
    const pawapay = await start({ opening_balance: 49 })
    const tries: [object | string, number, string][] = [
      ['{', 400, 'INVALID_INPUT'],
      [deposit({ more: 1 }), 400, 'UNSUPPORTED_PARAMETER'],
      [deposit({ currency: undefined }), 400, 'MISSING_PARAMETER'],
      [deposit({ depositId: 'x' }), 400, 'INVALID_PARAMETER'],
      [deposit({ depositId: randomUUID().replace(/(?<=^.{14})4/, '7') }), 400, 'INVALID_PARAMETER'],
      [deposit({ amount: 50 }), 400, 'INVALID_PARAMETER'],
      [deposit({ customerMessage: 'abc' }), 400, 'INVALID_PARAMETER'],
      [deposit({ customerMessage: 'l’été' }), 400, 'INVALID_PARAMETER'],
      [deposit({ payer: { type: 'BANK' } }), 400, 'INVALID_PARAMETER'],
      [deposit({ amount: '050' }), 200, 'INVALID_AMOUNT'],
      [deposit({ amount: '50.5' }), 200, 'INVALID_AMOUNT'],
      [deposit({ amount: '2000001' }), 200, 'AMOUNT_OUT_OF_BOUNDS'],
      [deposit({ currency: 'XAF' }), 200, 'INVALID_CURRENCY'],
      [deposit({}, { provider: 'WAVE_BEN' }), 200, 'INVALID_PROVIDER'],
      [deposit({}, { phoneNumber: '+22997000010' }), 200, 'INVALID_PHONE_NUMBER'],
      [deposit({}, { phoneNumber: '22597000010' }), 200, 'INVALID_PHONE_NUMBER'],
      [deposit({}, { phoneNumber: '22997000006' }), 200, 'PROVIDER_TEMPORARILY_UNAVAILABLE'],
    ]
    for (const [body, status, code] of tries) {
      const reply = await call(pawapay, 'POST', '/v2/deposits', body)
      expect([reply.status, reply.code], JSON.stringify(body)).toEqual([status, code])
      if (status === 200) expect(reply.said.status).toBe('REJECTED')
    }
    const poor = await call(pawapay, 'POST', '/v2/payouts', payout())
    expect([poor.status, poor.code]).toEqual([200, 'PAWAPAY_WALLET_OUT_OF_FUNDS'])
    const stranger = { ...pawapay, token: 'another' }
    expect(await call(stranger, 'POST', '/v2/deposits', deposit())).toMatchObject({
      ...{ status: 403, code: 'AUTHENTICATION_ERROR' },
    })
    const nobody = await fetch(`${pawapay.url}/v2/deposits/${randomUUID()}`)
    expect(nobody.status).toBe(401)
    expect(pawapay.books()).toEqual([])
    expect((await call(pawapay, 'GET', '/v2/deposit')).status).toBe(404)
  })

  it('sends a callback again until it is answered 200', async () => {
    const statuses: number[] = []
    const receiver = createServer(async (request, response) => {
      await text(request)
      const status = statuses.length < 2 ? 503 : 200
      statuses.push(status)
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void receiver.close())
    await new Promise((resolve) => receiver.once('listening', resolve))
    const address = receiver.address()
    const port = typeof address === 'object' ? address?.port : 0
    const pawapay = await start({
      callbacks: { deposits: `http://127.0.0.1:${port}/` },
      speed: 200,
    })
    await call(pawapay, 'POST', '/v2/deposits', deposit())
    await expect.poll(() => statuses, { timeout: 20_000 }).toEqual([503, 503, 200])
  })

  it('has a page for the payer once the provider has made it, and it decides', async () => {
    const pawapay = await start()
    pawapay.delayPages(true)
    const one = deposit(
      { successfulUrl: 'https://shop.example/yes', failedUrl: 'https://shop.example/no' },
      { phoneNumber: '221773456789', provider: 'WAVE_SEN' },
    )
    const path = `/v2/deposits/${one.depositId}`
    const begun = await call(pawapay, 'POST', '/v2/deposits', one)
    expect(begun.said).toMatchObject({ status: 'ACCEPTED', nextStep: 'GET_AUTH_URL' })
    expect(await stateOf(pawapay, path)).toMatchObject({ nextStep: 'GET_AUTH_URL' })
    pawapay.delayPages(false)
    const { authorizationUrl } = await stateOf(pawapay, path)
    expect(await (await fetch(authorizationUrl)).text()).toContain('Simulation')
    const body = new URLSearchParams({ outcome: 'pay' })
    const paid = await fetch(authorizationUrl, { method: 'POST', body, redirect: 'manual' })
    expect([paid.status, paid.headers.get('location')]).toEqual([303, 'https://shop.example/yes'])
    expect(await stateOf(pawapay, path)).toMatchObject({ status: 'COMPLETED' })
  })

  it('keeps payouts in its queue, lets them go on, or takes one back', async () => {
    const pawapay = await start()
    pawapay.delayPayouts(true)
    const [kept, taken] = [payout(), payout()]
    for (const one of [kept, taken]) await call(pawapay, 'POST', '/v2/payouts', one)
    expect(await stateOf(pawapay, `/v2/payouts/${kept.payoutId}`)).toMatchObject({
      status: 'ENQUEUED',
    })
    const cancel = () => call(pawapay, 'POST', `/v2/payouts/fail-enqueued/${taken.payoutId}`)
    expect((await cancel()).said.status).toBe('ACCEPTED')
    await expect
      .poll(() => stateOf(pawapay, `/v2/payouts/${taken.payoutId}`))
      .toMatchObject({ status: 'FAILED', failureReason: { failureCode: 'MANUALLY_CANCELLED' } })
    expect((await cancel()).said).toMatchObject({ status: 'REJECTED' })
    pawapay.delayPayouts(false)
    await expect
      .poll(() => stateOf(pawapay, `/v2/payouts/${kept.payoutId}`))
      .toMatchObject({ status: 'COMPLETED' })
  })

  it('gives back what was paid, one refund at a time, and no more than there was', async () => {
    const pawapay = await start({ speed: 0.5 }) // slow enough for one to meet the other
    const one = deposit()
    await call(pawapay, 'POST', '/v2/deposits', one)
    const refund = (amount?: string) =>
      call(pawapay, 'POST', '/v2/refunds', {
        ...{ refundId: randomUUID(), depositId: one.depositId, currency: 'XOF' },
        ...(amount === undefined ? {} : { amount }),
      })
    expect((await refund()).code).toBe('INVALID_STATE')
    await expect
      .poll(() => stateOf(pawapay, `/v2/deposits/${one.depositId}`))
      .toMatchObject({ status: 'COMPLETED' })
    expect((await refund('51')).code).toBe('AMOUNT_TOO_LARGE')
    const part = await refund('20')
    expect(part.said.status).toBe('ACCEPTED')
    expect((await refund('20')).code).toBe('REFUND_IN_PROGRESS')
    const ended = () => stateOf(pawapay, `/v2/refunds/${part.said.refundId}`)
    await expect.poll(ended).toMatchObject({ status: 'COMPLETED', amount: '20.00' })
    const rest = await refund()
    const all = () => stateOf(pawapay, `/v2/refunds/${rest.said.refundId}`)
    await expect.poll(all).toMatchObject({ status: 'COMPLETED', amount: '30.00' })
    expect((await refund('1')).code).toBe('DEPOSIT_ALREADY_REFUNDED')
  })

  it('goes on in the middle of a payment after a restart, with its keys', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'pirogue-dialect-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const journal = join(dir, 'pawapay.jsonl')
    const first = await start({ journal })
    first.delayPayouts(true)
    const one = payout()
    await call(first, 'POST', '/v2/payouts', one)
    const { said: keys } = await call(first, 'GET', '/v2/public-key/http')
    await first.stop()
    const second = await start({ journal })
    expect((await call(second, 'GET', '/v2/public-key/http')).said).toEqual(keys)
    expect(second.books()).toMatchObject([{ status: 'ENQUEUED' }])
    second.delayPayouts(false)
    await expect.poll(() => second.books()).toMatchObject([{ status: 'COMPLETED', amount: '50' }])
  })
})
