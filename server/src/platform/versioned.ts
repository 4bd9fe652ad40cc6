// A copy in memory of data that carries a version: the round trip that authenticated the caller
// also read which version counts, so a copy is never older than the request that uses it.

export type Versioned<T> = (version: bigint) => Promise<T>

/** Loads once per version; simultaneous callers share one load. */
export function versioned<T>(load: () => Promise<T>): Versioned<T> {
  let current: { version: bigint; value: Promise<T> } | undefined
  return async (version) => {
    if (current === undefined || current.version < version) {
      const value = load()
      const mine = { version, value }
      current = mine
      value.catch(() => {
        if (current === mine) current = undefined
      })
    }
    return current.value
  }
}

/** The same, one copy for each name (a merchant's own prices); the oldest names are let go. */
export function versionedBy<T>(
  load: (name: string) => Promise<T>,
  names_max = 10_000,
): (name: string, version: bigint) => Promise<T> {
  const copies = new Map<string, Versioned<T>>()
  return async (name, version) => {
    let one = copies.get(name)
    if (one === undefined) {
      one = versioned(() => load(name))
      copies.set(name, one)
      const [oldest] = copies.keys()
      if (copies.size > names_max && oldest !== undefined) copies.delete(oldest)
    }
    return one(version)
  }
}
