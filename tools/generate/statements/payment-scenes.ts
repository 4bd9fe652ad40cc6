// What happens to payments, from the call to the end: each scene shows the statements of one case.

import { findMemo } from '../../../server/src/attempts/memo-statements.ts'
import { platformMerchant } from '../../../server/src/ledger/account.ts'
import { newId } from '../../../server/src/platform/ids.ts'
import type { Event, Payment } from '../../../server/test/worlds/world.ts'
import { playWorld, type Told } from './stage.ts'

const payment: Payment = { network: 0, amount: 5000, mode: 'ADD_ON' }
const byCode: Payment = { ...payment, network: 3 }
const first = { payment: 0, crash: null } as const
const order = { order: 0, calls: 1 } as const

const pays: Event = { is: 'operator', ...order, does: 'pays' }
const refuses: Event = { is: 'operator', ...order, does: 'refuses' }
const contradicts: Event = { is: 'operator', ...order, does: 'contradicts' }
const poll: Event = { is: 'poll', crash: null }
const pass = (seconds: number): Event => ({ is: 'age', seconds })
const verify: Event = { is: 'verify', ...first }
const retry: Event = { is: 'retry', ...first, how: 0, keyed: true }
const overTime: Event = { is: 'expire', over: true, crash: null }
const unknown = ['unknown', 'unknown', 'unknown', 'unknown'] as const

export const paymentScenes: readonly Told[] = [
  {
    when: 'a payer pays by phone, and the operator calls back',
    whole: true,
    play: (stage) => playWorld(stage, { payments: [payment], events: [pays] }),
  },
  {
    when: 'the same key is used again',
    whole: true,
    play: (stage) =>
      playWorld(stage, { payments: [payment], events: [pays, { is: 'initialize', ...first }] }),
  },
  {
    when: 'the payer refuses, and the merchant tries again',
    play: (stage) => playWorld(stage, { payments: [payment], events: [refuses, retry, pays] }),
  },
  {
    when: 'a merchant tries again what the operator has already refused, without a key',
    play: (stage) =>
      playWorld(stage, { payments: [payment], events: [refuses, { ...retry, keyed: false }] }),
  },
  {
    when: 'the first operator cannot be reached, and the second takes the payment',
    play: (stage) =>
      playWorld(stage, { payments: [payment], operators: [{ creates: ['never_sent'] }] }),
  },
  {
    when: 'the first operator refuses at once, and the second takes the payment',
    play: (stage) =>
      playWorld(stage, { payments: [payment], operators: [{ creates: ['gateway_refuses'] }] }),
  },
  {
    when: 'no operator takes the payment',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [{ creates: ['never_sent'] }, { creates: ['gateway_refuses'] }],
      }),
  },
  {
    when: 'the payer gives a code, first a wrong one',
    play: (stage) =>
      playWorld(stage, {
        payments: [byCode],
        events: [
          { is: 'confirm', ...first, right: false, times: 1 },
          { is: 'confirm', ...first, right: true, times: 1 },
        ],
      }),
  },
  {
    when: 'the operator’s answer is lost, and the poller asks what it has',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [{ creates: ['lost_and_waits'] }, { creates: ['lost_and_waits'] }],
        events: [pass(20), poll, pass(140), poll, pays, verify],
      }),
  },
  {
    when: 'the request is lost on its way, and is sent again',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [{ creates: ['lost_on_the_way_there'] }, { creates: ['lost_on_the_way_there'] }],
        events: [pass(20), poll, pass(140), poll, pass(1000), poll, pass(1000), poll],
      }),
  },
  {
    when: 'nobody says what became of a payment until its asking time is over',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [{ asks: ['unknown', 'unknown', 'unknown'] }, { asks: ['unknown', 'unknown'] }],
        events: [verify, overTime, poll, pass(90_000), poll],
      }),
  },
  {
    when: 'the operator says the opposite of what it had said',
    play: (stage) =>
      playWorld(stage, { payments: [payment], events: [pays, contradicts, contradicts] }),
  },
  {
    when: 'a payment that had failed was paid after all',
    play: (stage) =>
      playWorld(stage, { payments: [payment], events: [refuses, contradicts, contradicts] }),
  },
  {
    when: 'another amount comes than was asked for',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        events: [{ is: 'operator', ...order, does: 'pays_other_amount' }],
      }),
  },
  {
    when: 'a callback cannot be believed, and the poller asks',
    whole: true,
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        events: [
          { is: 'callback', order: 0, says: 'unsigned', times: 1, crash: null },
          { is: 'callback', order: 0, says: 'forged', times: 1, crash: null },
          poll,
        ],
      }),
  },
  {
    when: 'an operator is asked by what it gave us to remember',
    whole: true,
    play: ({ db }) => {
      const seals = { seal: () => Buffer.alloc(0), unseal: () => '' }
      return findMemo({ db, seals }, { merchant_id: platformMerchant.SANDBOX, id: newId() })
    },
  },
  {
    when: 'a merchant gives a pending payment up and tries again, and both are paid',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [{ cancels: false }, { cancels: false }],
        events: [
          overTime,
          { is: 'retry', ...first, how: 2, keyed: true },
          { ...pays, order: 1 },
          pays,
        ],
      }),
  },
  {
    when: 'an attempt ends whose payment has been closed without it',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        operators: [
          { cancels: false, asks: unknown },
          { cancels: false, asks: unknown },
        ],
        events: [overTime, poll, refuses],
      }),
  },
  {
    when: 'a test decides what the payer of the sandbox does',
    play: (stage) =>
      playWorld(stage, {
        payments: [payment],
        events: [{ is: 'resolve', ...first, pays: true }],
      }),
  },
]
