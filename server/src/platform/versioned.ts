// A copy in memory of data that carries a version: the caller knows from the same round trip that
// authenticated him which version counts, so a copy is never older than the request that uses it.

export type Versioned<T> = (version: bigint) => Promise<T>

/** Loads once per version; simultaneous callers share one load. */
export function versioned<T>(load: () => Promise<T>): Versioned<T> {
  let held: { version: bigint; value: Promise<T> } | undefined
  return async (version) => {
    if (held === undefined || held.version < version) {
      const value = load()
      const mine = { version, value }
      held = mine
      value.catch(() => {
        if (held === mine) held = undefined
      })
    }
    return held.value
  }
}

/** The same, one copy for each name (a merchant's own prices); the oldest names are let go. */
export function versionedBy<T>(
  load: (name: string) => Promise<T>,
  names_max = 10_000,
): (name: string, version: bigint) => Promise<T> {
  const held = new Map<string, Versioned<T>>()
  return async (name, version) => {
    let one = held.get(name)
    if (one === undefined) {
      one = versioned(() => load(name))
      held.set(name, one)
      const [oldest] = held.keys()
      if (held.size > names_max && oldest !== undefined) held.delete(oldest)
    }
    return one(version)
  }
}
