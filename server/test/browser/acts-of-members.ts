// What members do on the dashboard, as data: where, what is pressed and filled in, and which call
// of the API that makes. In English. Each call that changes something and takes a right is here.

import { actsOfHouse } from './acts-of-house.ts'
import { actsWithMoney } from './acts-with-money.ts'
import type { Act } from './member-act.ts'

export const acts: readonly Act[] = [...actsWithMoney, ...actsOfHouse]

/** Those of every third screen: what one act makes may be what the next of its screen needs. */
export const someActs: readonly Act[] = ofEveryThird(acts)

function ofEveryThird(all: readonly Act[]): Act[] {
  const screens = [...new Set(all.map(({ at }) => at))]
  return all.filter(({ at }) => screens.indexOf(at) % 3 === 0)
}
