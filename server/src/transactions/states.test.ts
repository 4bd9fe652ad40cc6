// Every move of a transaction's status, written out a second time: a move that somebody adds or
// takes away must be meant (money 2).

import { describe, expect, it } from 'vitest'
import { drawStates } from '../platform/states.ts'
import { statesOf, type TransactionStatus, type TransactionType } from './states.ts'

const statuses: readonly TransactionStatus[] = ['PENDING', 'SUCCESS', 'FAILED', 'CANCELLED']

const movesOf = (type: TransactionType) =>
  statuses.flatMap((from) =>
    statuses.filter((to) => statesOf[type].allows(from, to)).map((to) => `${from} ${to}`),
  )

describe('the moves of a transaction', () => {
  it.each(['PAIEMENT', 'RECHARGE'] as const)(
    'a %s can be retried and can succeed late, and a success is final',
    (type) => {
      expect(movesOf(type)).toEqual([
        'PENDING SUCCESS',
        'PENDING FAILED',
        'FAILED PENDING',
        'FAILED SUCCESS',
      ])
    },
  )

  it('a payout ends once: its hold is released or spent, and neither is undone', () => {
    expect(movesOf('RETRAIT')).toEqual(['PENDING SUCCESS', 'PENDING FAILED'])
  })

  it('a transfer moves by its own table, not by this one', () => {
    expect(movesOf('TRANSFERT')).toEqual([])
  })

  it('each says why it happens, in the drawing', () => {
    expect(drawStates(statesOf.PAIEMENT).split('\n')).toEqual([
      'stateDiagram-v2',
      '  PENDING --> SUCCESS: gateway confirmed',
      '  PENDING --> FAILED: gateway refused, or no route took it',
      '  FAILED --> PENDING: merchant retried',
      '  FAILED --> SUCCESS: gateway confirmed after all',
    ])
    expect(drawStates(statesOf.RETRAIT).split('\n')).toEqual([
      'stateDiagram-v2',
      '  PENDING --> SUCCESS: gateway confirmed',
      '  PENDING --> FAILED: gateway refused, or staff closed it',
    ])
  })
})
