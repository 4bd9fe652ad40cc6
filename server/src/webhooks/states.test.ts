// What a try's outcome makes of a delivery, and that the machine allows it.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawStates } from '../platform/states.ts'
import { judge } from './delivery.ts'
import { deliveryStates, deliveryStatuses } from './states.ts'

const answered = (status: number) =>
  ({ is: 'answered', status, headers: {}, body: '', took_ms: 1 }) as const

it('moves only as the table says, at any try and for any outcome', () => {
  const outcome = fc.oneof(
    fc.integer({ min: 200, max: 599 }).map(answered),
    fc.constantFrom(
      { is: 'unknown', because: 'timeout' } as const,
      { is: 'never_sent', because: 'dns' } as const,
      { is: 'refused_address', note: 'x' } as const,
    ),
  )
  fc.assert(
    fc.property(outcome, fc.integer({ min: 1, max: 9 }), (result, attempt) => {
      const from = attempt === 1 ? 'PENDING' : 'FAILED'
      const { status, after_ms, http_status } = judge(result, attempt, () => 0.5)
      expect(deliveryStates.allows(from, status)).toBe(true)
      expect(after_ms !== null).toBe(status === 'FAILED')
      const acknowledged = http_status !== null && http_status < 300
      expect(status === 'SUCCESS').toBe(acknowledged)
      expect(status === 'EXHAUSTED').toBe(!acknowledged && attempt === 9)
    }),
  )
})

it('says why nothing came back, but not what a refused name stands for', () => {
  const judged = judge({ is: 'refused_address', note: 'db.internal is 10.0.0.7' }, 1, () => 0.5)
  expect(judged.response_body).toBe('(address not allowed)')
  const late = judge({ is: 'unknown', because: 'timeout' }, 1, () => 0.5)
  expect(late).toMatchObject({ http_status: null, response_body: '(no answer: timeout)' })
})

it('reaches every status', () => {
  for (const status of deliveryStatuses) {
    expect(deliveryStates.into(status).length).toBeGreaterThan(0)
  }
})

it('moves for the reasons that the drawing gives, and only by request out of an end or back', () => {
  expect(drawStates(deliveryStates).split('\n')).toEqual([
    'stateDiagram-v2',
    '  PENDING --> SUCCESS: acknowledged at the first try',
    '  PENDING --> FAILED: first try failed, another is due',
    '  PENDING --> EXHAUSTED: the endpoint was switched off or deleted',
    '  FAILED --> PENDING: sent again on request',
    '  FAILED --> FAILED: tried again, another is due',
    '  FAILED --> SUCCESS: acknowledged at a later try',
    '  FAILED --> EXHAUSTED: no try is left, or the endpoint was switched off or deleted',
    '  SUCCESS --> PENDING: sent again on request',
    '  EXHAUSTED --> PENDING: sent again on request',
  ])
})
