// The dialect of MTN MoMo and our adapter, each held to what the operator documents of its
// interface (simulator/test/documents/mtn.ts): every answer and callback of a run of all outcomes
// that can be steered, and every request that the adapter makes.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Direction, GatewayOrder } from '../../../server/src/gateways/gateway.ts'
import { mtnGateway } from '../../../server/src/gateways/mtn-momo-api/mtn-gateway.ts'
import { memoryTokens } from '../../../server/src/gateways/tokens.ts'
import { createOutbound } from '../../../server/src/platform/outbound/outbound.ts'
import { provisioned } from '../../../server/test/setup/mtn-account.ts'
import { type MtnOptions, startMtn } from '../../src/dialects/mtn/start.ts'
import { faultsIn, faultsOfAnswers, faultsOfRequests } from '../documents/held.ts'
import { callback, operations, statuses } from '../documents/mtn.ts'
import { type Called, openAddress, recordBetween } from '../documents/wire.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

async function open(options: Partial<MtnOptions> = {}) {
  const mtn = await startMtn({ port: 0, speed: 100, ...options })
  onTestFinished(() => mtn.stop().catch(() => undefined))
  const [ours, others] = [await recordBetween(mtn.url), await recordBetween(mtn.url)]
  const { url: to, calls } = await openAddress()
  const account = await provisioned(ours.url, '127.0.0.1')
  const gateway = mtnGateway(account, {
    ...{ outbound, clock: Date.now, note: () => undefined },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
  return { mtn, gateway, account, ours: ours.exchanges, others, to, calls }
}

type Opened = Awaited<ReturnType<typeof open>>

const orderTo = ({ to }: Opened, msisdn: string, direction: Direction): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: `+${msisdn}`, flow: 'push', otp_kind: 'NONE' },
  ...{ otp: undefined, description: "Panier d'Awa ".padEnd(255, '🛒'), return_url: '' },
  callback_url: `${to}/${direction}`,
})

/** Asked until it has ended, and for a second at most: one number waits for good. */
async function playOne({ gateway }: Opened, order: GatewayOrder): Promise<void> {
  await (order.direction === 'COLLECT' ? gateway.collect(order) : gateway.pay(order))
  const give_up = Date.now() + 1_000
  for (;;) {
    const { answer } = await gateway.query(order)
    if (answer.is === 'confirmed' || answer.is === 'refused' || Date.now() > give_up) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Our two last digits of the sandbox, and the operator's own test numbers. */
const numbers = [
  ...['00', '01', '02', '03', '04', '05', '06', '07', '08', '09'].map((two) => `229970000${two}`),
  ...Array.from({ length: 16 }, (_, at) => `46733123${450 + at}`),
]

async function playNumbers(opened: Opened): Promise<void> {
  const orders = (['COLLECT', 'DISBURSE'] as const).flatMap((direction) =>
    numbers.map((number) => orderTo(opened, number, direction)),
  )
  await Promise.all(orders.map((order) => playOne(opened, order)))
  for (const order of [orders[0], orders.at(-1)]) {
    // The same key again: it is taken.
    if (order !== undefined) await playOne(opened, order)
  }
}

/** What our adapter never sends, and an operator answers all the same. */
async function playMistakes({ others: { url }, account }: Opened): Promise<void> {
  const keyed = {
    'ocp-apim-subscription-key': String(account.secrets['collection_subscription_key']),
  }
  const user = String(account.secrets['collection_api_user'])
  const basicOf = (key: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
  })
  const send = (method: string, path: string, headers: object, body?: string) =>
    fetch(url + path, { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) })
  const token = '/collection/token/'
  await send('POST', token, { ...keyed, ...basicOf('another') })
  const secret = String(account.secrets['collection_api_key'])
  const issued = await send('POST', token, { ...keyed, ...basicOf(secret) })
  const { access_token } = (await issued.json()) as { access_token: string }
  const good = {
    ...{ ...keyed, authorization: `Bearer ${access_token}`, 'x-target-environment': 'sandbox' },
    ...{ 'content-type': 'application/json', 'x-reference-id': randomUUID() },
  }
  const order = (changes: object = {}) =>
    JSON.stringify({
      ...{ amount: '50', currency: 'EUR', externalId: 'x', payerMessage: 'a', payeeNote: 'b' },
      payer: { partyIdType: 'MSISDN', partyId: '22997000010' },
      ...changes,
    })
  const path = '/collection/v1_0/requesttopay'
  const tries: [object, string][] = [
    [{ ...good, 'ocp-apim-subscription-key': '' }, order()],
    [{ ...good, authorization: 'Bearer x' }, order()],
    [{ ...good, 'x-target-environment': 'mtnbenin' }, order()],
    [{ ...good, 'x-reference-id': 'not-a-uuid' }, order()],
    [{ ...good, 'x-callback-url': 'https://b.example/' }, order()],
    ...[
      { currency: 'XOF' },
      { amount: '050' },
      { amount: 50 },
      { payeeNote: "l'été" },
      { extra: 1 },
    ].map((changes): [object, string] => [good, order(changes)]),
    ...['{', order(), order()].map((body): [object, string] => [good, body]),
  ]
  for (const [headers, body] of tries) await send('POST', path, headers, body)
  for (const product of ['collection/v1_0/requesttopay', 'disbursement/v1_0/transfer']) {
    await send('GET', `/${product}/${randomUUID()}`, good)
  }
  for (const number of ['22997000010', '22997000003', '46733123451', '46733123454']) {
    for (const what of ['active', 'basicuserinfo']) {
      await send('GET', `/collection/v1_0/accountholder/msisdn/${number}/${what}`, good)
    }
  }
  await send('POST', `/v1_0/apiuser/${randomUUID()}/apikey`, keyed)
  const again = { ...keyed, 'x-reference-id': user }
  await send('POST', '/v1_0/apiuser', again, '{"providerCallbackHost":"a.example"}')
}

function faultsOfCallback({ method, path, body, headers }: Called): string[] {
  const who = path === '/COLLECT' ? 'payer' : 'payee'
  const isJson = String(headers['content-type']).startsWith('application/json')
  const faults = [
    ...faultsIn(callback(who), JSON.parse(body)),
    ...(['PUT', 'POST'].includes(method) ? [] : [`by ${method}`]),
    ...(isJson ? [] : [`of type ${headers['content-type']}`]),
  ]
  return faults.map((fault) => `callback ${path}: ${fault}`)
}

describe('the dialect, through everything that can be steered', () => {
  it.each(['OBJECT', 'TEXT'] as const)(
    'answers and calls back as documented, a reason as %s, and the adapter asks as documented',
    async (reason_shape) => {
      const opened = await open({ reason_shape })
      const poor = await open({ opening_balance: 4_999 })
      await Promise.all([
        playNumbers(opened),
        playOne(poor, orderTo(poor, '46733123455', 'DISBURSE')),
      ])
      await opened.gateway.balances()
      await opened.gateway.check()
      await playMistakes(opened)
      const asked = [...opened.ours, ...poor.ours]
      const all = [...asked, ...opened.others.exchanges]
      expect(faultsOfAnswers(operations, all)).toEqual([])
      expect(faultsOfRequests(operations, asked)).toEqual([])
      expect(opened.calls.flatMap(faultsOfCallback)).toEqual([])
      // Nothing above is empty talk: each status and way of a callback was there.
      const text = all.map(({ body }) => body).join('\n')
      for (const status of statuses) expect(text).toContain(`"status":"${status}"`)
      expect(new Set(opened.calls.map(({ path }) => path)).size).toBe(2)
      expect(new Set(all.map(({ status }) => status))).toEqual(
        new Set([200, 201, 202, 400, 401, 404, 409, 500]),
      )
    },
  )
})
