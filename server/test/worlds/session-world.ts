// The checkout sessions of a world as data: some alone, some of one link with a single slot; who
// pays them, from which network, and who ends them.

import fc from 'fast-check'
import { type Crash, crash } from './payout-world.ts'

export type SessionEvent = Readonly<
  | { is: 'pay_session'; session: number; network: number; times: number; crash: Crash | null }
  | { is: 'cancel_session'; session: number; crash: Crash | null }
  | { is: 'expire_sessions'; crash: Crash | null }
>

/** `by_link`: opened by the world's link, which may be paid once. */
export type Session = Readonly<{ amount: number; by_link: boolean }>

const session: fc.Arbitrary<Session> = fc.record({
  amount: fc.constantFrom(5000, 7000),
  by_link: fc.boolean(),
})

/** Most worlds have none. */
export const sessions: fc.Arbitrary<readonly Session[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(session, { minLength: 1, maxLength: 2 }) },
)

const at = fc.constantFrom(0, 0, 1)

/** In a world without sessions nothing comes of these. The last network is of another country. */
export const onSessions: fc.WeightedArbitrary<SessionEvent>[] = [
  {
    weight: 6,
    arbitrary: fc.record({
      is: fc.constant('pay_session' as const),
      session: at,
      network: fc.constantFrom(0, 0, 1, 3, 4, 4),
      times: fc.constantFrom(1, 1, 2),
      crash,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('cancel_session' as const), session: at, crash }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('expire_sessions' as const), crash }) },
]
