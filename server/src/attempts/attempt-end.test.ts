// A route that took nothing ends its attempt by the operator's own refusal, or because the request
// never left. Without these the next route could be tried with no reason kept for the one before.

import { describe, expect, it } from 'vitest'
import { endOfRoute } from './attempt-end.ts'

const of = { merchant_id: 'merchant', gate_id: 'transaction' }
const from = { id: 'attempt' }

describe('the end of a route that took nothing', () => {
  it('keeps the refusal of its operator', () => {
    const answer = {
      is: 'refused',
      by: 'gateway',
      failure_code: 'GATEWAY_REFUSED',
      detail: 'limit of the day',
      external_reference: 'OP-1',
    } as const
    expect(endOfRoute({ from, answer }, of)).toEqual({
      ...of,
      id: 'attempt',
      status: 'FAILED',
      gateway_ended: true,
      external_reference: 'OP-1',
      operator_reference: null,
      failure_code: 'GATEWAY_REFUSED',
      failure_message: 'The operator refused it.',
      gateway_detail: 'limit of the day',
      ask_after_s: null,
    })
  })

  it('is the gateway’s absence where nothing was sent', () => {
    expect(
      endOfRoute({ from, answer: { is: 'never_sent', because: 'connect' } }, of),
    ).toMatchObject({
      status: 'FAILED',
      gateway_ended: true,
      external_reference: '',
      failure_code: 'GATEWAY_UNAVAILABLE',
      gateway_detail: 'never sent',
      ask_after_s: null,
    })
  })
})
