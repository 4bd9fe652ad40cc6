// A move that is not in the table cannot happen, whichever way it is asked about.

import { describe, expect, it } from 'vitest'
import { defineStates, drawStates } from './states.ts'

type Boat = 'ASHORE' | 'AFLOAT' | 'SUNK'
const boats = defineStates<Boat>({
  ASHORE: { AFLOAT: 'launched' },
  AFLOAT: { ASHORE: 'landed', SUNK: 'holed' },
  SUNK: {},
})
const names = ['ASHORE', 'AFLOAT', 'SUNK'] as const

describe('defineStates', () => {
  it('allows what the table has and nothing else', () => {
    const allowed = names.flatMap((from) =>
      names.filter((to) => boats.allows(from, to)).map((to) => `${from} ${to}`),
    )
    expect(allowed).toEqual(['ASHORE AFLOAT', 'AFLOAT ASHORE', 'AFLOAT SUNK'])
  })

  it('says from where a state can be reached, in agreement with allows', () => {
    expect(boats.into('AFLOAT')).toEqual(['ASHORE'])
    for (const to of names) {
      expect(boats.into(to)).toEqual(names.filter((from) => boats.allows(from, to)))
    }
  })

  it('counts a move whose reason is empty text', () => {
    const quiet = defineStates<'A' | 'B'>({ A: { B: '' }, B: {} })
    expect(quiet.allows('A', 'B')).toBe(true)
    expect(quiet.into('B')).toEqual(['A'])
  })
})

describe('drawStates', () => {
  it('draws one arrow a move, with its reason', () => {
    expect(drawStates(boats)).toBe(
      [
        'stateDiagram-v2',
        '  ASHORE --> AFLOAT: launched',
        '  AFLOAT --> ASHORE: landed',
        '  AFLOAT --> SUNK: holed',
      ].join('\n'),
    )
  })
})
