// Every move of an attempt, written out a second time: above all that a success is never left.

import { describe, expect, it } from 'vitest'
import { drawStates } from '../platform/states.ts'
import { attemptStates } from './states.ts'

describe('the moves of an attempt', () => {
  it('end in SUCCESS, which nothing leaves', () => {
    expect(attemptStates.into('SUCCESS').sort()).toEqual(['FAILED', 'PENDING', 'UNKNOWN'])
    for (const to of ['PENDING', 'UNKNOWN', 'FAILED', 'SUCCESS'] as const) {
      expect(attemptStates.allows('SUCCESS', to)).toBe(false)
    }
  })

  it('open no attempt again that has failed', () => {
    expect(attemptStates.into('PENDING')).toEqual(['UNKNOWN'])
    expect(attemptStates.into('UNKNOWN')).toEqual(['PENDING'])
    expect(attemptStates.into('FAILED')).toEqual(['PENDING', 'UNKNOWN'])
  })

  it('each say why, in the drawing', () => {
    expect(drawStates(attemptStates).split('\n')).toEqual([
      'stateDiagram-v2',
      '  PENDING --> SUCCESS: gateway confirmed',
      '  PENDING --> FAILED: gateway refused, or never took it',
      '  PENDING --> UNKNOWN: no answer, or closed by us before the gateway ended it',
      '  UNKNOWN --> PENDING: gateway says it has it',
      '  UNKNOWN --> SUCCESS: gateway confirmed',
      '  UNKNOWN --> FAILED: gateway refused, or never took it',
      '  FAILED --> SUCCESS: gateway confirmed after all',
    ])
  })
})
