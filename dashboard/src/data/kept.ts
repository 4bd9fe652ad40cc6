// What this browser keeps of a reader between two visits: a choice, who was signed in here last.
// Law: a browser whose storage is full, or that allows none, keeps nothing, and all else works in
// it: what is chosen counts until the page is left.

const unkept = new Map<string, string>()

/** Null: nothing is; undefined: this browser does not say. */
export function kept(key: string): string | null | undefined {
  try {
    return unkept.get(key) ?? localStorage.getItem(key)
  } catch {
    return undefined
  }
}

const probe_key = 'pirogue-probe'

/**
 * Whether it can keep nothing now: then that nothing is there says nothing. Other tabs see
 * the trial, so it is made where it matters and not at each reading.
 */
export function keepsNothing(): boolean {
  keep(probe_key, 'x')
  const isUnkept = unkept.has(probe_key)
  keep(probe_key, null)
  return isUnkept
}

/** From now on, where it can be; null: no longer. */
export function keep(key: string, value: string | null): void {
  unkept.delete(key)
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    if (value !== null) unkept.set(key, value)
  }
}
