// This adapter alone, without the dialect, over what its operator documents
// (simulator/test/documents/fedapay.ts): every status is named, samples of its own texts and events
// are read, and nothing throws.

import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import {
  events,
  payout,
  payoutStatuses,
  shownCodes,
  transaction,
  transactionStatuses,
} from '../../../../simulator/test/documents/fedapay.ts'
import { faultsIn } from '../../../../simulator/test/documents/held.ts'
import { answeringWith, type Given } from '../../../../simulator/test/documents/wire.ts'
import { toolsWithoutTokens } from '../../../test/setup/stripe-account.ts'
import { createOutbound } from '../../platform/outbound/outbound.ts'
import { receivedOf } from '../conformance-bench.ts'
import type { Answer, Direction, GatewayOrder } from '../gateway.ts'
import { shortReference } from '../reference-codec.ts'
import { fedapayGateway } from './fedapay-gateway.ts'

const outbound = createOutbound({ assertNoTransaction: () => undefined })
afterAll(() => outbound.close())

const webhook_secret = 'wh_sandbox_0123456789'

const xof = {
  ...{ klass: 'v1/currency', id: 1, name: 'FCFA', iso: 'XOF', code: 952 },
  ...{ prefix: null, suffix: 'CFA', div: 1 },
}

async function openOver(answer: (path: string) => Given) {
  const notes: string[] = []
  const base_url = await answeringWith((_, path) =>
    path.startsWith('/v1/currencies/') ? { body: { 'v1/currency': xof } } : answer(path),
  )
  const gateway = fedapayGateway(
    {
      ...{ id: randomUUID(), code: 'fedapay_test', environment: 'SANDBOX', country: 'BJ' },
      settings: { base_url },
      secrets: { secret_key: 'sk_sandbox_0123456789', webhook_secret },
    },
    { ...toolsWithoutTokens, outbound, clock: Date.now, note: (what) => void notes.push(what) },
  )
  return { gateway, notes }
}

const orderOf = (direction: Direction): GatewayOrder => ({
  ...{ merchant_id: 'm', attempt_id: 'a', direction, our_key: randomUUID() },
  ...{ network_code: 'mtn_bj', country_code: 'BJ', amount: 9_113_00n, currency: 'XOF' },
  ...{ external_reference: direction === 'COLLECT' ? 'transactions/7' : 'payouts/7' },
  ...{ msisdn: '+2290166000001', flow: 'push', otp_kind: 'NONE', otp: undefined },
  ...{ description: 'Panier', callback_url: 'http://127.0.0.1:9/', return_url: '' },
})

/** As the operator's own client and events have it. */
const shownAs = (direction: Direction, status: string, changes: object = {}) => ({
  klass: direction === 'COLLECT' ? 'v1/transaction' : 'v1/payout',
  ...{ id: 7, reference: 'trx_Vo4_1719781861514', amount: 9_113, status },
  ...{ customer_id: null, currency_id: 1, mode: 'moov', metadata: {}, custom_metadata: null },
  ...{ commission: '0.018', fees: 167, fixed_commission: 0, amount_transferred: 9_113 },
  ...{ created_at: '2024-06-30T21:11:01.513Z', updated_at: '2024-06-30T21:12:48.085Z' },
  ...{ deleted_at: null, last_error_code: null, amount_debited: 9_280, payment_method_id: 79_062 },
  ...{ transaction_key: '1803322096256732', merchant_reference: null, account_id: 9_976 },
  ...changes,
})

const cases = {
  COLLECT: {
    ...{ name: 'v1/transaction', object: 'transaction', schema: transaction },
    statuses: transactionStatuses,
    meant: {
      ...{ pending: 'waiting', declined: 'refused', canceled: 'refused', approved: 'confirmed' },
      ...{ transferred: 'confirmed', refunded: 'reversed' },
      approved_partially_refunded: 'confirmed',
      transferred_partially_refunded: 'confirmed',
    },
  },
  DISBURSE: {
    ...{ name: 'v1/payout', object: 'payout', schema: payout, statuses: payoutStatuses },
    meant: {
      // It may have been started: nothing follows from it.
      ...{ pending: 'unknown', scheduled: 'waiting', started: 'waiting', sent: 'confirmed' },
      failed: 'refused',
    },
  },
} as const

describe.each(['COLLECT', 'DISBURSE'] as const)('%s', (direction) => {
  const { name, object, schema, statuses, meant } = cases[direction]
  const order = orderOf(direction)

  it('is read in every documented status, with every code that a text shows', async () => {
    let shown: object = {}
    const { gateway, notes } = await openOver(() => ({ body: { [name]: shown } }))
    for (const status of statuses) {
      // An approved one was seen with a code: it says nothing of what ended well.
      for (const last_error_code of [null, ...shownCodes]) {
        shown = shownAs(direction, status, { last_error_code })
        expect(faultsIn(schema, shown), status).toEqual([])
        const { answer } = await gateway.query(order)
        expect(answer.is, `${status} ${last_error_code}`).toBe(Reflect.get(meant, status))
      }
    }
    const unlisted = notes.filter((what) => !/^error (none|NO_ERROR|API_ERROR|INSUFF)/.test(what))
    expect(unlisted).toEqual([])
    shown = shownAs(direction, 'held_back')
    expect(faultsIn(schema, shown)).toHaveLength(1)
    expect((await gateway.query(order)).answer.is).toBe('unknown')
    expect(notes.at(-1)).toBe('status held_back')
  })

  it('is read from an event, which proves itself by its signature alone', async () => {
    const { gateway } = await openOver(() => ({ status: 404, body: { message: 'Not found.' } }))
    const readEvent = (status: string, secret: string) => {
      const entity = shownAs(direction, status, {
        ...{ currency: xof, merchant_reference: shortReference(order.our_key) },
      })
      const event = { name: `${object}.${status}`, object, entity }
      expect(faultsIn(events, event), status).toEqual([])
      const body = JSON.stringify(event)
      const time = Math.floor(Date.now() / 1000)
      const mac = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
      const headers = { 'x-fedapay-signature': `t=${time},s=${mac}` }
      return gateway.readCallback(receivedOf({ body, headers }, Date.now()))
    }
    for (const status of statuses) {
      const answer = { is: Reflect.get(meant, status) }
      expect(readEvent(status, webhook_secret), status).toMatchObject({ proof: 'SIGNED', answer })
      expect(readEvent(status, 'wh_sandbox_another').proof, status).toBe('UNSIGNED')
    }
  })

  it('is prepared by a 200 or a 201, and refused as its client reads a refusal', async () => {
    let given: Given = { body: '' }
    const { gateway } = await openOver(() => given)
    const pending = { [name]: shownAs(direction, 'pending') }
    for (const status of [200, 201]) {
      given = { status, body: pending }
      expect((await gateway.prepare(order)).answer, `${status}`).toMatchObject({ is: 'prepared' })
    }
    const message = 'Account creation failed'
    for (const body of [{ message }, { message, errors: { amount: ['is required'] } }]) {
      for (const status of [400, 401, 403, 422]) {
        given = { status, body }
        const { answer } = await gateway.prepare(order)
        expect(answer).toMatchObject({ is: 'refused', detail: expect.stringContaining(message) })
      }
      given = { status: 500, body }
      expect((await gateway.prepare(order)).answer.is).toBe('unknown')
    }
    // One page shows its answers bare, without the name that its client reads.
    given = { body: shownAs(direction, 'pending') }
    expect((await gateway.prepare(order)).answer.is).toBe('unknown')
    expect((await gateway.query(order)).answer.is).toBe('unknown')
  })
})

describe('the money', () => {
  it('is asked for by what its client and its page answer alike', async () => {
    let charged: unknown = { message: 'success' }
    const { gateway } = await openOver((path) =>
      path.endsWith('/token')
        ? { body: { token: 'PAYEMENT_TOKEN', url: 'https://process.fedapay.com/PAYEMENT_TOKEN' } }
        : { body: charged },
    )
    const collect = async (): Promise<Answer> => (await gateway.collect(orderOf('COLLECT'))).answer
    expect((await collect()).is).toBe('waiting')
    // Its page shows a list of what was begun: nothing says that it was not.
    charged = [{ reference: 'pi_xdc_123456', amount: 1_000, status: 'pending' }]
    expect(['waiting', 'unknown']).toContain((await collect()).is)
  })

  it('that is sent is read from the list that its client reads', async () => {
    const sent = shownAs('DISBURSE', 'sent', { sent_at: '2018-10-23T17:36:40.086Z' })
    const { gateway } = await openOver(() => ({ body: { 'v1/payouts': [sent] } }))
    const order = orderOf('DISBURSE')
    expect((await gateway.pay(order)).answer).toMatchObject({ is: 'confirmed', amount: 9_113_00n })
    const bare = await openOver(() => ({ body: [sent] }))
    expect((await bare.gateway.pay(order)).answer.is).toBe('unknown')
  })
})
