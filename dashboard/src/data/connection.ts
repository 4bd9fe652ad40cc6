// How things stand between this page and the API: whether the machine has a network, until when the
// API has asked us to wait, whether a newer dashboard is served. Law: while the API wants us to
// wait, nothing is read, and nothing that changes anything is sent without a network, or later.

import { useSyncExternalStore } from 'react'

export type Connection = Readonly<{
  isOnline: boolean
  /** By the clock of this machine; 0: we need not wait. */
  waits_until_ms: number
  /** This page is older than what is served. */
  isOld: boolean
  /** Hints of what happens come to this tab: then little is asked for unasked. */
  isFollowed: boolean
  /** The reader wants no count of what is new. */
  isPaused: boolean
}>

let connection: Connection = {
  ...{ isOnline: navigator.onLine, waits_until_ms: 0, isOld: false },
  ...{ isFollowed: false, isPaused: false },
}
const listeners = new Set<() => void>()

function learn(changes: Partial<Connection>): void {
  connection = { ...connection, ...changes }
  for (const listener of listeners) listener()
}

addEventListener('online', () => learn({ isOnline: true }))
addEventListener('offline', () => learn({ isOnline: false }))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => connection)
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => connection.isOnline)

export const isOnline = (): boolean => connection.isOnline

/**
 * The API wants this many seconds without a call. All calls are counted by the minute: what is to
 * wait for longer is one thing alone, a phone that was asked too often.
 */
export function waitFor(seconds: number): void {
  const until_ms = Date.now() + seconds * 1_000
  if (seconds > 60 || until_ms <= connection.waits_until_ms) return
  learn({ waits_until_ms: until_ms })
  setTimeout(() => {
    if (connection.waits_until_ms === until_ms) learn({ waits_until_ms: 0 })
  }, seconds * 1_000)
}

/** Resolves when the API may be asked; at once where it has not asked us to wait. */
export const untilFree = (): Promise<void> =>
  new Promise((resolve) => {
    const listener = () => {
      if (connection.waits_until_ms > 0) return
      listeners.delete(listener)
      resolve()
    }
    listeners.add(listener)
    listener()
  })

export const isFollowed = (): boolean => connection.isFollowed
let followed_since_ms = 0

export const setFollowed = (is: boolean): void => {
  if (is === connection.isFollowed) return
  followed_since_ms = Date.now()
  learn({ isFollowed: is })
}

/** Whether nothing can have happened since then without a hint of it. */
export const isFollowedSince = (at_ms: number): boolean =>
  connection.isFollowed && at_ms > followed_since_ms

export const setPaused = (isPaused: boolean): void => learn({ isPaused })

export const becomeOld = (): void => learn({ isOld: true })
