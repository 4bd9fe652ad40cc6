// What an act changed: only the fields that differ are in the audit log.

type Fields = Readonly<Record<string, unknown>>

/** The differing fields of two views of one thing; undefined when nothing differs. */
export function changedFields(
  was: Fields,
  is: Fields,
): { before: Fields; after: Fields } | undefined {
  const names = Object.keys(is).filter(
    (name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]),
  )
  if (names.length === 0) return undefined
  const pick = (from: Fields) => Object.fromEntries(names.map((name) => [name, from[name]]))
  return { before: pick(was), after: pick(is) }
}
