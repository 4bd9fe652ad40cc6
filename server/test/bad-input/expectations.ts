// What each operation of the published interface is expected to answer: who may call it, whose id
// it takes, and a call that is right. An operation without a line here fails its story.

import { newPayer, softpay } from '../harness.ts'
import { asJson, type World } from './world.ts'

export type Expectation = Readonly<{
  access: 'public' | 'any' | 'PAYIN'
  /** A GET of records and verify go on; all else is refused (contract 3.5). */
  suspended: 'allowed' | 'refused'
  /** Of the right call. */
  status: number
  query?: string
  body?: () => unknown
  /** Its id: one that is the shop's own, and how another's is answered. */
  id?: Readonly<{
    /** A record that lasts, by its name in the world. */
    own: string
    /** Made for the one right call, where that changes or ends the record. */
    fresh?: (world: World) => Promise<string>
    /** Catalogue records belong to everybody. */
    of: 'merchant' | 'everybody'
  }>
}>

const read = { access: 'any', suspended: 'allowed', status: 200 } as const
const owned = (own: string) => ({ ...read, id: { own, of: 'merchant' } }) as const
/** Catalogue records are nobody's own: a suspended merchant does not read them (contract 3.5). */
const shared = { access: 'any', suspended: 'refused', status: 200 } as const
const ofAll = (own: string) => ({ ...shared, id: { own, of: 'everybody' } }) as const

const payment = async (world: World, changes: Record<string, unknown>) => {
  const { status, data, body } = await world.callers.shop.pay(changes)
  if (status !== 201) throw new Error(JSON.stringify(body))
  return String(data.id)
}

const coded = (world: World) =>
  payment(world, {
    country: 'SN',
    network: 'wizall_sn',
    customer: { ...newPayer(), phone: '+221771234520' },
  })

async function failed(world: World): Promise<string> {
  const id = await payment(world, { customer: newPayer('01') })
  await world.callers.shop.becomes(id, 'FAILED')
  return id
}

async function webhook({ callers }: World): Promise<string> {
  const { data } = await callers.shop.call(
    'POST',
    '/merchant-webhooks/',
    asJson({ url: 'https://hooks.example.com/fresh' }),
  )
  return String(data.id)
}

const softpayCall: Expectation = {
  access: 'PAYIN',
  suspended: 'refused',
  status: 201,
  body: () => softpay({ customer: newPayer() }),
}

export const expectations: Readonly<Record<string, Expectation>> = {
  'GET /countries/': { ...read, access: 'public' },
  'GET /availability/': { ...read, access: 'public' },
  'GET /countries/{id}/': ofAll('country'),
  'GET /networks/': shared,
  'GET /networks/{id}/': ofAll('network'),
  'GET /networks/predict/': { ...shared, query: '?msisdn=%2B2290197000010' },
  'GET /exchange-rates/': shared,
  'GET /exchange-rates/convert/': { ...shared, query: '?from=EUR&to=XOF&amount=10' },
  'GET /pricing/my-rates/': read,
  'GET /quotes/': {
    ...shared,
    query: '?kind=PAYIN&country=BJ&network=mtn_bj&amount=5000',
  },
  'GET /search/': { ...read, query: '?q=awa' },
  'GET /merchant-balances/': read,
  'GET /merchant-balances/{id}/': owned('balance'),
  'GET /merchant-ledger-entries/': read,
  'GET /transactions/': read,
  'GET /transactions/{id}/': owned('paid'),
  'GET /transactions/{id}/evidence/': owned('paid'),
  'GET /transactions/{id}/timeline/': owned('paid'),
  'GET /transaction-attempts/': read,
  'GET /transaction-attempts/{id}/': owned('attempt'),
  'GET /transaction-status-logs/': read,
  'GET /transaction-status-logs/{id}/': owned('status_log'),
  'GET /merchant-webhooks/': read,
  'GET /merchant-webhooks/{id}/': owned('webhook'),
  'POST /merchant-webhooks/': {
    ...read,
    suspended: 'refused',
    status: 201,
    body: () => ({ url: 'https://hooks.example.com/x', events: ['transaction.success'] }),
  },
  'PATCH /merchant-webhooks/{id}/': {
    ...owned('webhook'),
    suspended: 'refused',
    body: () => ({ description: 'changed' }),
  },
  'DELETE /merchant-webhooks/{id}/': {
    ...read,
    suspended: 'refused',
    status: 204,
    id: { own: 'webhook', fresh: webhook, of: 'merchant' },
  },
  'POST /merchant-webhooks/{id}/test/': {
    ...read,
    suspended: 'refused',
    status: 201,
    id: { own: 'webhook', fresh: webhook, of: 'merchant' },
  },
  'POST /payments/softpay/': softpayCall,
  'POST /payments/softpay/initialize/': softpayCall,
  'GET /payments/{payment_id}/verify/': { ...owned('pending'), access: 'PAYIN' },
  'POST /payments/{payment_id}/confirm-otp/': {
    access: 'PAYIN',
    suspended: 'refused',
    status: 200,
    body: () => ({ otp: '123456' }),
    id: { own: 'coded', fresh: coded, of: 'merchant' },
  },
  'POST /payments/{payment_id}/retry/': {
    access: 'PAYIN',
    suspended: 'refused',
    status: 200,
    body: () => ({ methods: ['moov_bj'] }),
    id: { own: 'failed', fresh: failed, of: 'merchant' },
  },
  'GET /sandbox/outcomes/': { ...read, query: '?country=BJ' },
  'POST /sandbox/balances/': {
    ...read,
    suspended: 'refused',
    status: 201,
    body: () => ({ country: 'BJ', amount: '5000' }),
  },
  'GET /sandbox/examples/': read,
  // This shop has movements: an empty one has a story of its own.
  'POST /sandbox/examples/': { ...read, suspended: 'refused', status: 409, body: () => ({}) },
  'GET /sandbox/dialects/': read,
  // By the way that is chosen, here that of payments.
  'PUT /sandbox/dialects/': {
    ...read,
    access: 'PAYIN',
    suspended: 'refused',
    body: () => ({ network_code: 'mtn_bj', direction: 'COLLECT', dialect: 'pirogue' }),
  },
  'POST /sandbox/transactions/{id}/resolve/': {
    ...read,
    suspended: 'refused',
    body: () => ({ outcome: 'SUCCESS' }),
    id: {
      own: 'pending',
      fresh: (world) => payment(world, { customer: newPayer('04') }),
      of: 'merchant',
    },
  },
}
