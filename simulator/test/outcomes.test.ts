// The list of outcomes is whole and closed: what it does not name does nothing special, and what
// it names does.

import { describe, expect, it } from 'vitest'
import { scriptOf } from '../src/magic-numbers.ts'
import type { Kind } from '../src/order.ts'
import { ordinary_ending, playedOutcomes } from '../src/outcomes.ts'

const kinds: readonly Kind[] = ['COLLECTION', 'PAYOUT', 'REFUND']
const allEndings = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

describe.each(kinds)('the outcomes of a %s', (kind) => {
  const listed = playedOutcomes().filter((one) => one.kind === kind)
  const scriptsOf = (ending: string) =>
    (['a', 'b'] as const).map((operator) =>
      scriptOf(
        { misbehaves: false },
        { kind, msisdn: `2290197000${ending}`, description: `sandbox:${ending}`, operator },
      ),
    )

  it('name every ending that does anything of its own', () => {
    const special = allEndings.filter(
      (ending) => JSON.stringify(scriptsOf(ending)) !== JSON.stringify(scriptsOf(ordinary_ending)),
    )
    const named = listed.map(({ ending }) => ending).filter((one) => one !== ordinary_ending)
    expect(named).toEqual(special)
  })

  it('begin with what goes well, and each has its sentence in two languages', () => {
    expect(listed[0]).toMatchObject({ ending: ordinary_ending, steps: [{ status: 'SUCCESSFUL' }] })
    for (const { text } of listed) expect(text.en).not.toBe(text.fr)
  })
})
