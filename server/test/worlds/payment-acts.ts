// What merchants do: pay, retry, give codes, look, and in the sandbox decide what payers do.

import { homeOf } from '../../src/platform/places/places.ts'
import { passIn, queryWhatIsDue } from './due-acts.ts'
import { rightOtp } from './operator.ts'
import { type Call, callRoute, handsOf, type Scene } from './scene.ts'
import { networks } from './stage.ts'
import { start, unlessRefused } from './start-line.ts'
import type { Crash, Event } from './world.ts'

const initializePath = '/payments/softpay/initialize/'

export const initializeKey = (payment: number): string => `initialize-${payment}`

export function initialize(scene: Scene, at: number, crash: Crash | null): void {
  start(scene, {
    what: `initialize ${at}`,
    crash,
    work: async (line) => {
      await callRoute(scene, line, initializing(scene, at))
    },
  })
}

/** The first call for each payment, by one process or by as many as there are payments. */
export function initializeAll(scene: Scene): void {
  const { payments, one_process } = scene.world
  const all = [...payments.keys()]
  if (!one_process) {
    for (const at of all) initialize(scene, at, null)
    return
  }
  start(scene, {
    what: 'initialize all',
    crash: null,
    work: async (line) => {
      const hands = handsOf(scene, line, initializePath)
      const calls = all.map((at) =>
        unlessRefused(() => callRoute(scene, line, initializing(scene, at), hands)),
      )
      await Promise.all(calls)
    },
  })
}

function initializing(scene: Scene, at: number): Call {
  const payment = scene.world.payments[at]
  const body = {
    amount: String(payment?.amount),
    currency: 'XOF',
    country: 'BJ',
    network: networks[payment?.network ?? 0],
    customer: {
      email: 'awa@example.com',
      first_name: 'Awa',
      last_name: 'Diop',
      phone: phoneOf(scene, at),
    },
    fee_charge_mode: payment?.mode,
    otp: rightOtp,
    merchant_reference: `payment-${at}`,
  }
  return { path: initializePath, params: {}, body, key: initializeKey(at) }
}

/** Nobody else's: how often a phone is asked is counted over all merchants. */
const phoneOf = ({ no }: Scene, payment: number): string =>
  `+2290197${String((2 * no + payment) % 1_000_000).padStart(6, '0')}`

type OnPayment = Extract<Event, { is: 'retry' | 'confirm' | 'verify' | 'resolve' }>

export async function onPayment(scene: Scene, event: OnPayment): Promise<void> {
  const id = await transactionOf(scene, event.payment)
  if (id === undefined) return
  start(scene, {
    what: `${event.is} ${event.payment}`,
    crash: event.crash,
    work: async (line) => {
      for (const call of callsOf(event)) {
        await unlessRefused(() =>
          callRoute(scene, line, { ...call, params: { payment_id: id, id } }),
        )
      }
    },
  })
}

type AboutPayment = Omit<Call, 'params'>

const retryPath = '/payments/:payment_id/retry/'

function callsOf(event: OnPayment): AboutPayment[] {
  switch (event.is) {
    case 'retry': {
      const methods = event.how === 0 ? [] : [networks[event.how - 1]]
      const key = event.keyed ? `retry-${event.payment}-${event.how}` : undefined
      return [{ path: retryPath, body: { methods, otp: rightOtp }, key }]
    }
    case 'confirm': {
      const otp = event.right ? rightOtp : '000000'
      const key = event.right ? `confirm-${event.payment}` : undefined
      const call = { path: '/payments/:payment_id/confirm-otp/', body: { otp }, key }
      return Array.from({ length: event.right ? 1 : event.times }, () => call)
    }
    case 'verify':
      return [{ path: '/payments/:payment_id/verify/', body: {}, key: undefined }]
    case 'resolve': {
      const body = { outcome: event.pays ? 'SUCCESS' : 'FAILED' }
      return [{ path: '/sandbox/transactions/:id/resolve/', body, key: undefined }]
    }
  }
}

/** The asking time is over, the poller gives up, and the merchant tries again at once. */
export async function cancel(
  scene: Scene,
  { payment, crash }: Extract<Event, { is: 'cancel' }>,
): Promise<void> {
  const payment_id = await transactionOf(scene, payment)
  if (payment_id === undefined) return
  start(scene, {
    what: `cancel ${payment}`,
    crash,
    work: async (line) => {
      await passIn(scene, line, { seconds: 'asking is over' })
      await queryWhatIsDue(scene, line)
      const body = { methods: [], otp: rightOtp }
      const call = { path: retryPath, params: { payment_id }, body, key: undefined }
      await callRoute(scene, line, call)
    },
  })
}

/** What the merchant knows by their own reference, once it is there. */
export async function transactionOf(scene: Scene, payment: number): Promise<string | undefined> {
  const known = scene.transactions.get(payment)
  if (known !== undefined) return known
  const [row] = await homeOf(scene.stage.owner, scene.merchant_id)<{ id: string }[]>`
    select id from transactions
     where merchant_id = ${scene.merchant_id} and merchant_reference = ${`payment-${payment}`}`
  if (row !== undefined) scene.transactions.set(payment, row.id)
  return row?.id
}
