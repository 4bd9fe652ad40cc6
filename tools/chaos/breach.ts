// A law that was broken, and by which ids.

export type Breach = Readonly<{
  law: string
  /** What broke it: a key, an id, with what is wrong of it where that needs words. */
  id: string
  /** Nothing is wrong yet: it may come right while the app comes to rest. */
  may_pass: boolean
}>

/** For a law that, once broken, stays broken. */
export const broken = (law: string, ids: readonly string[]): Breach[] =>
  ids.map((id) => ({ law, id, may_pass: false }))

/** For what has not come yet. */
export const missing = (law: string, ids: readonly string[]): Breach[] =>
  ids.map((id) => ({ law, id, may_pass: true }))

const shown_max = 20

/** A line a law, with its ids. */
export function formatBreaches(breaches: readonly Breach[]): string {
  const laws = new Map<string, string[]>()
  for (const { law, id } of breaches) laws.set(law, [...(laws.get(law) ?? []), id])
  return [...laws]
    .map(([law, ids]) => {
      const more = ids.length > shown_max ? `\n  … and ${ids.length - shown_max} more` : ''
      return `${law}: ${ids.length}\n  ${ids.slice(0, shown_max).join('\n  ')}${more}`
    })
    .join('\n')
}

/** Rows by one of their texts. */
export function grouped<T>(rows: readonly T[], of: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const key = of(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return groups
}
