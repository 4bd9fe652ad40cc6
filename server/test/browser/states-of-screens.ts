// The states that a screen of the dashboard can be in: which screens have it, whose they are then,
// and how it comes about. Those that are in turn are looked at in one language each, the screens of
// a state by turns, and those that pass in one layout each.

import type { Route } from 'playwright-core'
import { forms, ownPages, readings } from './full-shop.ts'
import { type Seat, type Seats, stages } from './shops-in-states.ts'
import { broken } from './sound.ts'
import {
  asksToWait,
  type Befalling,
  choosesBenin,
  goesOffline,
  isOutgrown,
  losesItsSession,
  unfolds,
} from './what-befalls.ts'

export type State = Readonly<{
  name: string
  screens: readonly string[]
  /** Those of a small run; none where a shop of its own has to be filled for them. */
  few?: readonly string[]
  sit: (seats: Seats) => Promise<Seat>
  /** What becomes of the calls of a screen; those that say who is there are answered. */
  meet?: (route: Route) => Promise<void>
  /** New for each visit. */
  befalls?: () => Befalling
  /** It waits for answers that do not come. */
  isWaiting?: boolean
  /** Each screen in one language. */
  isInTurn?: boolean
  /** Each screen in the layout of its language alone. */
  isPassing?: boolean
}>

/** And one that there is not. */
const all = [...readings, ...forms, ...ownPages, '/nothing/of/this']

/** Of nobody: its screen says that it is not there. */
const nobodys = (path: string): string =>
  path.replace(/\{\w+\}/, '01890000-0000-7000-8000-000000000000')

const plain: readonly State[] = [
  { name: 'full', screens: all, few: ['', '/payouts/new'], sit: (seats) => seats.full() },
  {
    name: 'empty',
    screens: all.map(nobodys),
    few: ['/payments', '/team'],
    isInTurn: true,
    sit: (seats) => seats.empty(),
  },
  {
    name: 'failed',
    screens: all,
    few: ['', '/team'],
    isInTurn: true,
    sit: (seats) => seats.full(),
    meet: (route) => route.fulfill(broken),
  },
  // Never answered: the screen is what it is while it waits.
  {
    name: 'loading',
    screens: all,
    few: ['/payments', '/payouts/new'],
    isInTurn: true,
    sit: (seats) => seats.full(),
    meet: async () => undefined,
    isWaiting: true,
  },
]

const before_all = 'from=2020-01-01&to=2020-01-02'

/** All its filters on, so that nothing is left of the list. */
const narrowed: readonly string[] = [
  `/payments?search=zz&status=FAILED&reason=PAYER_NOT_FOUND&via=DASHBOARD&${before_all}`,
  '/payments?type=RECHARGE&country=BJ&network=mtn_bj&currency=XOF&least=999998&most=999999',
  '/payments/{paid}?group=CALLBACKS',
  `/payments/refunds?search=zz&status=FAILED&${before_all}`,
  `/payouts?search=zz&status=PENDING&country=BJ&${before_all}`,
  `/balances/BJ?reference=zz&kind=INCIDENT&direction=DEBIT&${before_all}`,
  '/balances/BJ/statement?month=2020-01',
  `/settlements?search=zz&status=CANCELLED&country=BJ&${before_all}`,
  `/transfers?search=zz&status=REJECTED&country=BJ&${before_all}`,
  '/links?search=zz&is_active=false',
  `/checkouts?search=zz&status=EXPIRED&${before_all}`,
  '/customers?search=zz',
  '/search?q=zzzz',
  '/reports?date=2020-01-01',
  `/reports/series?step=week&group_by=network&transaction_type=RETRAIT&${before_all}`,
  `/developers/deliveries?status=FAILED&event_type=payment.failed&${before_all}`,
  '/developers/events?since=2099-01-01&event_type=payment.failed',
  `/audit?search=zz&actor_kind=STAFF&action=customer.deleted&${before_all}`,
]

/** Where a frozen balance stops something, or is seen. */
const stopped: readonly string[] = [
  ...['', '/balances', '/balances/BJ', '/balances/BJ/statement', '/balances/top-up'],
  ...['/payouts', '/payouts/new', '/payouts/approvals', '/payouts/{waits}', '/payments/{paid}'],
  ...['/payments/{paid}/refund', '/settlements', '/settlements/new', '/settlements/{settlement}'],
  ...['/transfers', '/transfers/new', '/transfers/{transfer}', '/settlements/methods'],
]

const standing: readonly State[] = [
  { name: 'full, in live', screens: all, sit: (seats) => seats.live() },
  { name: 'of a suspended shop', screens: all, sit: (seats) => seats.suspended() },
  {
    name: 'of a frozen balance',
    screens: stopped,
    sit: (seats) => seats.frozen(),
    befalls: () => ({ happen: choosesBenin }),
  },
  ...stages.flatMap((stage) => [
    // Whatever is asked for of live, what is left to do for it is shown.
    {
      name: `of live that is not open, ${stage}`,
      screens: ['', '/payouts/new'],
      sit: (seats: Seats) => seats.onTheWay(stage, 'live'),
    },
    {
      name: `on the way to live, ${stage}`,
      screens: ['/settings/verification', '/me'],
      sit: (seats: Seats) => seats.onTheWay(stage, 'test'),
    },
  ]),
  {
    name: 'for a role that may only read',
    screens: all,
    few: ['/payouts/new'],
    sit: (seats) => seats.viewer(),
    befalls: () => ({ happen: unfolds }),
  },
  { name: 'of a list narrowed to nothing', screens: narrowed, sit: (s) => s.full() },
]

const passing: readonly State[] = [
  {
    name: 'asked to wait',
    screens: all,
    few: ['/team'],
    sit: (seats) => seats.full(),
    befalls: asksToWait,
  },
  {
    name: 'without a network',
    screens: all,
    few: ['/me'],
    sit: (seats) => seats.full(),
    befalls: () => goesOffline,
  },
  {
    name: 'its session over',
    screens: all,
    few: ['/links/new'],
    sit: (seats) => seats.full(),
    befalls: losesItsSession,
  },
  {
    name: 'older than what is served',
    screens: all,
    few: ['/payments'],
    sit: (seats) => seats.full(),
    befalls: () => isOutgrown,
  },
]

export const states: readonly State[] = [
  ...plain,
  ...standing.map((state) => ({ ...state, isInTurn: true })),
  ...passing.map((state) => ({ ...state, isInTurn: true, isPassing: true })),
]
