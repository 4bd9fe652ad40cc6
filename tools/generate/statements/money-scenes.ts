// What else moves money: checkout sessions, payouts, settlements, transfers, adjustments.
// Each scene shows the statements of one case.

import type { Paying, Payout } from '../../../server/test/worlds/payout-world.ts'
import type { Event, World } from '../../../server/test/worlds/world.ts'
import { playWorld, type Told } from './stage.ts'

const order = { order: 0, calls: 1 } as const
const pays: Event = { is: 'operator', ...order, does: 'pays' }
const refuses: Event = { is: 'operator', ...order, does: 'refuses' }
const poll: Event = { is: 'poll', crash: null }
const overTime: Event = { is: 'expire', over: true, crash: null }
const pass = (seconds: number): Event => ({ is: 'age', seconds })

const session = { amount: 5000, by_link: false }
const once = { times: 1, crash: null } as const
const paySession: Event = { is: 'pay_session', session: 0, network: 0, ...once }

const sessionScenes: readonly Told[] = [
  {
    when: 'a payer pays a session of a link',
    play: (stage) =>
      playWorld(stage, { sessions: [{ ...session, by_link: true }], events: [paySession, pays] }),
  },
  {
    when: 'a payment of a session fails, and the payer tries another way',
    play: (stage) =>
      playWorld(stage, {
        sessions: [session],
        events: [paySession, refuses, { ...paySession, network: 1 }, { ...pays, order: 1 }],
      }),
  },
  {
    when: 'no operator takes the payment of a session',
    play: (stage) =>
      playWorld(stage, {
        sessions: [{ ...session, by_link: true }],
        operators: [{ creates: ['never_sent'] }, { creates: ['gateway_refuses'] }],
        events: [paySession],
      }),
  },
  {
    when: 'a session is cancelled, and another one’s time is over',
    play: (stage) =>
      playWorld(stage, {
        sessions: [session, session],
        events: [
          { is: 'cancel_session', session: 1, crash: null },
          pass(90_000),
          { is: 'expire_sessions', crash: null },
        ],
      }),
  },
  {
    when: 'nobody says what became of a session’s payment until its asking time is over',
    play: (stage) =>
      playWorld(stage, {
        sessions: [session],
        operators: [{ asks: ['unknown', 'unknown'] }, { asks: ['unknown', 'unknown'] }],
        events: [paySession, overTime, poll],
      }),
  },
]

const small: Payout = { network: 0, amount: 1000, mode: 'ADD_ON', large: false }
const large: Payout = { ...small, large: true }
const payout = { payout: 0, crash: null } as const
const payOut: Event = { is: 'pay_out', payout: 0, ...once }

/** A merchant that has enough, and one payout. */
function paying(one: Payout, events: readonly Event[], more: Partial<Paying> = {}) {
  return { paying: { opening: 20_000, payouts: [one], ...more }, events: [payOut, ...events] }
}
const decide = (how: 'approve' | 'reject' | 'cancel'): Event => {
  return { is: 'decide', ...payout, hows: [how] }
}
const askBack: Event = { is: 'ask_back', ...payout }
const takeBack: Event = { is: 'take_back', crash: null }
const lapse: Event = { is: 'lapse', crash: null }
const startWaiting: Event = { is: 'start_waiting', crash: null }
const noFloat = { empty: [true, true] }
const filled: readonly Event[] = [
  { is: 'float', operator: 0, empty: false },
  { is: 'float', operator: 1, empty: false },
]

const payoutScenes: readonly Told[] = [
  {
    when: 'a payout leaves, and the operator calls back',
    whole: true,
    play: (stage) => playWorld(stage, paying(small, [pays])),
  },
  {
    when: 'two people ask for a payout, and its operator has given it back',
    play: (stage) =>
      playWorld(stage, paying(small, [pays, askBack, { ...pays, does: 'contradicts' }, poll])),
  },
  {
    when: 'two people ask for a payout, and its operator takes none back',
    play: (stage) => playWorld(stage, paying(small, [pays, askBack, takeBack])),
  },
  {
    when: 'a payout is refused',
    play: (stage) => playWorld(stage, paying(small, [refuses])),
  },
  {
    when: 'no operator takes a payout',
    play: (stage) =>
      playWorld(stage, {
        ...paying(small, []),
        operators: [{ creates: ['gateway_refuses'] }, { creates: ['never_sent'] }],
      }),
  },
  {
    when: 'a large payout waits for a second person, who approves it',
    play: (stage) => playWorld(stage, paying(large, [decide('approve'), pays])),
  },
  {
    when: 'a large payout waits for a second person, who refuses it',
    play: (stage) => playWorld(stage, paying(large, [decide('reject')])),
  },
  {
    when: 'a large payout is cancelled while it waits for a second person',
    play: (stage) => playWorld(stage, paying(large, [decide('cancel')])),
  },
  {
    when: 'nobody decides on a large payout in time',
    play: (stage) => playWorld(stage, paying(large, [pass(8 * 86_400), lapse])),
  },
  {
    when: 'a payout waits for a float, and then goes',
    play: (stage) =>
      playWorld(stage, paying(small, [...filled, pass(400), startWaiting, pays], noFloat)),
  },
  {
    when: 'no operator has a float for a payout, and it waits',
    play: (stage) =>
      playWorld(stage, {
        ...paying(small, []),
        operators: [{ creates: ['float_is_empty'] }, { creates: ['float_is_empty'] }],
      }),
  },
  {
    when: 'a payout waits for a float and is cancelled',
    play: (stage) => playWorld(stage, paying(small, [decide('cancel')], noFloat)),
  },
  {
    when: 'a payout waits for a float for too long',
    play: (stage) => playWorld(stage, paying(small, [pass(31 * 86_400), startWaiting], noFloat)),
  },
]

type JobEvent = Extract<Event, { is: 'job' }>
const job = (name: JobEvent['job']): Event => ({ is: 'job', job: name, crash: null })

const payment = { network: 0, amount: 5000, mode: 'DEDUCTED' } as const
const refund: Event = { is: 'refund', payment: 0, part: 1000, ...once }

/** A payment that its payer has made, and a balance that covers what is given back. */
const refunding = (events: readonly Event[]) => ({
  payments: [payment],
  paying: { opening: 20_000 },
  events: [pays, ...events],
})

const refundScenes: readonly Told[] = [
  {
    when: 'a payment is given back in part, and the operator calls back',
    whole: true,
    play: (stage) => playWorld(stage, refunding([refund, { ...pays, order: 1 }])),
  },
  {
    when: 'an operator refuses to give a payment back',
    play: (stage) => playWorld(stage, refunding([refund, { ...refuses, order: 1 }])),
  },
  {
    when: 'a payment is too old to be given back, and no operator pays its payer',
    play: (stage) =>
      playWorld(stage, {
        ...refunding([pass(31 * 86_400), refund]),
        operators: [{ creates: ['waits', 'gateway_refuses'] }, { creates: ['never_sent'] }],
      }),
  },
  {
    when: 'an operator has no float to give a payment back from, and it waits, then goes',
    play: (stage) =>
      playWorld(stage, {
        ...refunding([refund, pass(400), job('send_refunds_again'), { ...pays, order: 2 }]),
        operators: [{ creates: ['waits', 'float_is_empty'] }, {}],
      }),
  },
]

type Moving = World['moving']
const moves = (moving: Partial<Moving>, events: readonly Event[]) => ({
  moving: { settlements: [], transfers: [], adjustments: [], ...moving },
  paying: { opening: 20_000 },
  events,
})
const settle: Event = { is: 'settle', settlement: 0, ...once }
type OnSettlement = Extract<Event, { is: 'on_settlement' }>['hows'][number]
const onSettlement = (how: OnSettlement): Event => {
  return { is: 'on_settlement', settlement: 0, hows: [how], crash: null }
}
const settling = (to: 'phone' | 'bank', amount: number, events: readonly Event[]) =>
  moves({ settlements: [{ to, amount }] }, [settle, ...events])
const big = 3000

const settlementScenes: readonly Told[] = [
  {
    when: 'a settlement is approved, paid to a phone, and the operator calls back',
    whole: true,
    play: (stage) => playWorld(stage, settling('phone', big, [onSettlement('approve'), pays])),
  },
  {
    when: 'a settlement is small enough to need nobody',
    play: (stage) => playWorld(stage, settling('phone', 1000, [pays])),
  },
  {
    when: 'an operator refuses a settlement, and no other takes it',
    play: (stage) =>
      playWorld(stage, {
        ...settling('phone', big, [onSettlement('approve')]),
        operators: [{ creates: ['gateway_refuses'] }, { creates: ['never_sent'] }],
      }),
  },
  {
    when: 'no operator has a float for a settlement, and it waits, then goes',
    play: (stage) =>
      playWorld(stage, {
        ...settling('phone', big, [
          onSettlement('approve'),
          pass(400),
          job('send_settlements_again'),
        ]),
        operators: [{ creates: ['float_is_empty'] }, { creates: ['float_is_empty'] }],
      }),
  },
  {
    when: 'an operator’s answer about a settlement is lost, and the poller asks',
    play: (stage) =>
      playWorld(stage, {
        ...settling('phone', big, [onSettlement('approve'), pass(20), poll, pays, poll]),
        operators: [{ creates: ['lost_and_waits'] }, { creates: ['lost_and_waits'] }],
      }),
  },
  {
    when: 'a settlement is refused, cancelled, or given up by staff',
    play: async (stage) => {
      await playWorld(stage, settling('bank', big, [onSettlement('cancel')]))
      await playWorld(stage, settling('bank', big, [onSettlement('fail')]))
      await playWorld(stage, settling('bank', big, [onSettlement('approve'), onSettlement('fail')]))
    },
  },
  {
    when: 'a bank pays a settlement, and its money comes back',
    play: (stage) =>
      playWorld(
        stage,
        settling('bank', big, [
          onSettlement('approve'),
          onSettlement('execute'),
          onSettlement('declare'),
          onSettlement('confirm'),
        ]),
      ),
  },
]

const transfer: Event = { is: 'transfer', transfer: 0, ...once }
const adjust: Event = { is: 'adjust', adjustment: 0, ...once }
type OnTransfer = Extract<Event, { is: 'on_transfer' }>['hows'][number]
const onTransfer = (how: OnTransfer): Event => {
  return { is: 'on_transfer', transfer: 0, hows: [how], crash: null }
}
const onAdjustment = (how: 'confirm' | 'refuse'): Event => {
  return { is: 'on_adjustment', adjustment: 0, hows: [how], crash: null }
}
const credit = { kind: 'CREDIT_MERCHANT', amount: 1000 } as const

const otherScenes: readonly Told[] = [
  {
    when: 'a transfer between countries is small enough to need nobody',
    play: (stage) => playWorld(stage, moves({ transfers: [1000] }, [transfer])),
  },
  {
    when: 'a transfer between countries waits for staff, who approve or refuse it',
    play: async (stage) => {
      await playWorld(stage, moves({ transfers: [big] }, [transfer, onTransfer('approve')]))
      await playWorld(stage, moves({ transfers: [big] }, [transfer, onTransfer('reject')]))
    },
  },
  {
    when: 'two people adjust a balance, or the second says no',
    play: async (stage) => {
      await playWorld(stage, moves({ adjustments: [credit] }, [adjust, onAdjustment('confirm')]))
      await playWorld(stage, moves({ adjustments: [credit] }, [adjust, onAdjustment('refuse')]))
    },
  },
]

export const moneyScenes: readonly Told[] = [
  ...sessionScenes,
  ...payoutScenes,
  ...refundScenes,
  ...settlementScenes,
  ...otherScenes,
]
