// What is kept of this tab alone, and ends with it: where it was last. No entrance loads it.

export function keptHere(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

export function keepHere(key: string, value: string): void {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // What is kept in memory until the page is left will do.
  }
}
