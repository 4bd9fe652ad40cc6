// Of the hours of a day that is counted, one line for what is alike.

import type { CountedLine } from './store.ts'

export function linesOfDay(hours: readonly CountedLine[]): CountedLine[] {
  const lines = new Map<string, CountedLine>()
  for (const { country, network, type, currency, status, failure_code, ...figures } of hours) {
    const same = { country, network, type, currency, status, failure_code }
    const name = Object.values(same).join(' ')
    const before = lines.get(name) ?? { ...same, count: 0, requested: 0n, fees: 0n, net: 0n }
    lines.set(name, {
      ...same,
      count: before.count + figures.count,
      requested: before.requested + figures.requested,
      fees: before.fees + figures.fees,
      net: before.net + figures.net,
    })
  }
  return [...lines.values()]
}
