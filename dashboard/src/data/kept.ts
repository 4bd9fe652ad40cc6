// What this browser keeps of a reader between two visits: a choice, who was signed in here last.
// Law: a browser whose storage is full, or that allows none, keeps nothing, and all else works in
// it.

/** Null: nothing is; undefined: this browser does not say. */
export function kept(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key)
  } catch {
    return undefined
  }
}

/** From now on, where it can be; null: no longer. */
export function keep(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    return
  }
}
