// This adapter alone, without the dialect, over what its operator documents
// (simulator/test/documents/pawapay.ts): every status and code is named, and what no document has
// is unknown and counted; nothing throws.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { faultsIn } from '../../../../simulator/test/documents/held.ts'
import {
  callbackOf,
  dataOf,
  failureCodes,
  idOf,
  type Kind,
  kinds,
  rejectionCodes,
  statuses,
  technicalCodes,
} from '../../../../simulator/test/documents/pawapay.ts'
import { operations } from '../../../../simulator/test/documents/pawapay-lists.ts'
import { answeringWith, type Given } from '../../../../simulator/test/documents/wire.ts'
import { pawapayAccount } from '../../../test/setup/pawapay-account.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, GatewayOrder } from '../gateway.ts'
import { memoryTokens } from '../tokens.ts'
import { pawapayGateway } from './pawapay-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

async function openOver(answer: (method: string, path: string) => Given) {
  const notes: string[] = []
  const account = pawapayAccount({ url: await answeringWith(answer), token: 'a'.repeat(40) })
  const gateway = pawapayGateway(account, {
    ...{ outbound, clock: Date.now, note: (what: string) => void notes.push(what) },
    tokens: (obtain) => memoryTokens(obtain, Date.now),
  })
  return { gateway, notes }
}

const of: GatewayOrder = {
  ...{ merchant_id: 'm', attempt_id: 'a', direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: 'BJ' },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+22997000010', flow: 'push' },
  ...{ otp_kind: 'NONE', otp: undefined, description: '', callback_url: '', return_url: '' },
}
const payout: GatewayOrder = { ...of, direction: 'DISBURSE' }
const refund = { ...payout, refund_id: 'r', of, reason: '' }

type Opened = Awaited<ReturnType<typeof openOver>>

const ask = async ({ gateway }: Opened, kind: Kind): Promise<Answer> => {
  if (kind === 'refunds') return (await gateway.askRefund(refund)).answer
  return (await gateway.query(kind === 'deposits' ? of : payout)).answer
}
const create = async ({ gateway }: Opened, kind: Kind): Promise<Answer> => {
  if (kind === 'refunds') return (await gateway.refund(refund)).answer
  return (await (kind === 'deposits' ? gateway.collect(of) : gateway.pay(payout))).answer
}

const failureReason = (failureCode: string) => ({ failureCode, failureMessage: 'As documented.' })

/** As the operator's own samples have it, with the id of our attempt. */
const dataIn = (kind: Kind, status: string, code?: string) => ({
  [idOf[kind]]: of.our_key,
  ...{ status, amount: '5000.00', currency: 'XOF', country: 'BEN' },
  [kind === 'deposits' ? 'payer' : 'recipient']: {
    type: 'MMO',
    accountDetails: { phoneNumber: '22997000010', provider: 'MTN_MOMO_BEN' },
  },
  ...{ customerMessage: 'To ACME company', created: '2020-10-19T08:17:01Z' },
  ...(status === 'COMPLETED' ? { providerTransactionId: '12356789' } : {}),
  ...(code === undefined ? {} : { failureReason: failureReason(code) }),
  metadata: { orderId: 'ORD-123456789' },
})

const meant: Readonly<Record<string, Answer['is']>> = {
  ...{ ACCEPTED: 'waiting', PROCESSING: 'waiting', IN_RECONCILIATION: 'waiting' },
  ...{ SUBMITTED: 'waiting', ENQUEUED: 'waiting', COMPLETED: 'confirmed', FAILED: 'refused' },
}

/** No cause is named by the operator either. */
const causeless = ['UNSPECIFIED_FAILURE', 'UNKNOWN_ERROR']

describe.each(kinds)('%s', (kind) => {
  const states = statuses[kind].flatMap((status): [string, string | undefined][] =>
    status === 'FAILED' ? failureCodes[kind].map((code) => [status, code]) : [[status, undefined]],
  )

  it('is read in every documented state, asked about and called back alike', async () => {
    let data: object = {}
    const opened = await openOver(() => ({ body: { status: 'FOUND', data } }))
    for (const [status, code] of states) {
      data = dataIn(kind, status, code)
      expect(faultsIn(dataOf(kind), data), status).toEqual([])
      const answer = await ask(opened, kind)
      const what = `${status} ${code ?? ''}`
      expect(answer.is, what).toBe(meant[status])
      if (answer.is === 'refused' && !causeless.includes(code ?? '')) {
        expect(answer.failure_code, what).not.toBe('UNKNOWN')
      }
      const called = opened.gateway.readCallback(
        receivedOf({ body: JSON.stringify(data), headers: {} }, Date.now()),
      )
      expect(called, what).toMatchObject({ proof: 'UNSIGNED', answer: { is: meant[status] } })
    }
    expect(opened.notes).toEqual([])
  })

  it('is refused by every documented code, and named', async () => {
    let given: Given = { body: '' }
    const opened = await openOver(() => given)
    for (const failureCode of rejectionCodes[kind]) {
      const status = 'REJECTED'
      given = {
        body: { [idOf[kind]]: of.our_key, status, failureReason: failureReason(failureCode) },
      }
      const answer = await create(opened, kind)
      expect(answer, failureCode).toMatchObject({ is: 'refused' })
      expect(answer.is === 'refused' && answer.failure_code, failureCode).not.toBe('UNKNOWN')
    }
    for (const status of [400, 401, 403] as const) {
      for (const code of technicalCodes[status]) {
        given = { status, body: { status: 'REJECTED', failureReason: failureReason(code) } }
        const answer = await create(opened, kind)
        expect(answer, code).toMatchObject({ is: 'refused', failure_code: 'GATEWAY_REFUSED' })
      }
    }
    expect(opened.notes).toEqual([])
    given = { status: 500, body: { failureReason: failureReason('UNKNOWN_ERROR') } }
    expect((await create(opened, kind)).is).toBe('unknown')
    expect((await ask(opened, kind)).is).toBe('unknown')
  })

  it('is unknown, or without a cause, and counted where no document has the word', async () => {
    let data: object = {}
    const opened = await openOver(() => ({ body: { status: 'FOUND', data } }))
    data = dataIn(kind, 'HELD_BACK')
    expect(faultsIn(dataOf(kind), data)).toEqual(['status is HELD_BACK'])
    expect((await ask(opened, kind)).is).toBe('unknown')
    data = dataIn(kind, 'FAILED', 'SOME_NEW_CODE')
    expect(faultsIn(dataOf(kind), data)).toHaveLength(1)
    expect(await ask(opened, kind)).toMatchObject({ is: 'refused', failure_code: 'UNKNOWN' })
    expect(opened.notes).toHaveLength(2)
    expect(faultsIn(callbackOf(kind), { ...dataIn(kind, 'COMPLETED'), more: 1 })).toHaveLength(1)
  })
})

describe('a create', () => {
  it('is read as its two samples are: taken, and taken before', async () => {
    for (const kind of kinds) {
      const created = '2020-10-19T11:17:01Z'
      const taken = { [idOf[kind]]: of.our_key, status: 'ACCEPTED', created }
      const opened = await openOver((method) =>
        method === 'POST' ? { body: taken } : { body: { status: 'NOT_FOUND' } },
      )
      expect((await create(opened, kind)).is, kind).toBe('waiting')
      Object.assign(taken, { status: 'DUPLICATE_IGNORED' })
      // What it became is asked; that nobody has it contradicts.
      expect((await create(opened, kind)).is, kind).not.toBe('confirmed')
      expect((await ask(opened, kind)).is, kind).toBe('not_found')
    }
  })
})

describe('the lists', () => {
  const limits = { decimalsInAmount: 'NONE', status: 'OPERATIONAL' }
  const offers = {
    DEPOSIT: { ...limits, callbackUrl: 'https://pay.example/callbacks/pawapay' },
    PAYOUT: { ...limits, status: 'DELAYED', callbackUrl: 'https://pay.example/callbacks/pawapay' },
  }
  const setup = (operationTypes: unknown) => ({
    companyName: 'Merchant Inc.',
    signatureConfiguration: { signedRequestsOnly: true, signedCallbacks: true },
    countries: [
      {
        country: 'BEN',
        providers: [
          { provider: 'MTN_MOMO_BEN', currencies: [{ currency: 'XOF', operationTypes }] },
        ],
      },
    ],
  })
  const bodies = (configuration: unknown): Readonly<Record<string, unknown>> => ({
    '/v2/active-conf': configuration,
    '/v2/wallet-balances': {
      balances: [
        { country: 'ZMB', balance: '21798.03', currency: 'ZMW', provider: '' },
        { country: 'UGA', balance: '10798.03', currency: 'UGX', provider: '' },
      ],
    },
    '/v2/public-key/http': [
      {
        id: 'HTTP_EC_P256_KEY:1',
        key: ['-----BEGIN PUBLIC KEY-----', 'MFkwEwYHKoZI', '-----END PUBLIC KEY-----', ''].join(
          '\n',
        ),
      },
    ],
  })

  it('are read as their samples are', async () => {
    const all = bodies(setup(offers))
    for (const [path, body] of Object.entries(all)) {
      const { answers = {} } = operations.find(({ at }) => at === `GET ${path}`) ?? {}
      const schema = answers[200]
      if (typeof schema !== 'object') throw new Error(`no schema of ${path}`)
      expect(faultsIn(schema, body), path).toEqual([])
    }
    const { gateway } = await openOver((_, path) => {
      const [bare = ''] = path.split('?')
      return { body: all[bare] ?? { status: 'NOT_FOUND' } }
    })
    const purposes = ['COLLECT', 'DISBURSE']
    // Neither is of a network of ours: their words for these countries are not read.
    expect(await gateway.balances()).toEqual([
      { wallet: 'ZMB', currency: 'ZMW', amount: 21_798_03n, purposes },
      { wallet: 'UGA', currency: 'UGX', amount: 10_798_03n, purposes },
    ])
    expect((await gateway.publishedKeys())?.map(({ id }) => id)).toEqual(['HTTP_EC_P256_KEY:1'])
    const findings = await gateway.check('https://pay.example/callbacks/pawapay')
    // The sample takes signed requests alone, which would refuse every payment of ours.
    expect(findings.find(({ what }) => what.en === 'signed requests')?.is).toBe('WARN')
    expect(findings.filter(({ is }) => is === 'FAIL')).toEqual([])
  })

  it('of another shape are none, and nothing throws', async () => {
    // The operator's own collection has the operations of a provider as a list.
    const listed = setup([
      { DEPOSIT: offers.DEPOSIT },
      { operationType: 'PAYOUT', ...offers.PAYOUT },
    ])
    for (const body of [listed, {}, [], null, 'x', { countries: [null] }]) {
      const all = bodies(body)
      const { gateway } = await openOver((_, path) => ({ body: all[path] ?? {} }))
      expect(Array.isArray(await gateway.check('https://pay.example/x'))).toBe(true)
    }
  })
})
