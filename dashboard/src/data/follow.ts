// Following what happens at a merchant, so that a screen is asked for anew when there is something
// new. Law: one stream a browser, opened by a tab that is looked at and passed on to the others;
// without one, every screen asks as often as it did. A hint never moves a list under its reader.

import type { Query } from '@tanstack/react-query'
import type { GetEventsStreamData } from '../api/types.gen.ts'
import { type Followed, follow, type Place } from './call.ts'
import { isFollowed, isOnline, setFollowed } from './connection.ts'
import { queries, readAllAgain } from './queries.ts'

type Hint = Readonly<{ sequence: number; kind?: string; id?: string; isResync?: boolean }>

/** What a change of each kind shows on: addresses of the API. */
const touchedBy: Readonly<Record<string, RegExp>> = {
  network: /^\/(overview|availability)/,
  availability: /^\/(overview|availability|webhook-logs)/,
  transaction: /^\/(transaction|overview|merchant-(balances|ledger)|refunds|webhook-logs)/,
  refund: /^\/(refunds|transaction|payments|overview|merchant-(balances|ledger)|webhook-logs)/,
  checkout_session: /^\/(checkout-sessions|webhook-logs)/,
  settlement: /^\/(settlements|overview|merchant-(balances|ledger)|webhook-logs)/,
  wallet_transfer: /^\/(wallet-transfers|overview|merchant-(balances|ledger)|webhook-logs)/,
}

/** Other records that show what is paid by them. */
const paidBy = /^\/(payment-links\/{|customers\/{id}\/t)/

/** Lists in which the reader has a place: what is new stands there when they come back. */
const list = new RegExp(
  '^/(transactions|refunds|settlements|wallet-transfers|checkout-sessions|' +
    'merchant-ledger-entries|webhook-logs)/$',
)

/** However much happens, a screen asks no more often than this. */
const between_reads_ms = 5_000

const look_ms = 1_000
/** So many looks in turn find nothing under way: a screen that opens goes first. */
const quiet_looks = 3
const soon_ms = 1_000
const latest_ms = 600_000

/** Follows until what it returns is called. */
export function followChanges(place: Place): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  const name = `pirogue-hints ${place.merchant} ${place.environment}`
  const others = new BroadcastChannel(name)
  const known: Known = { last: undefined }
  const touch = touching(place, signal)
  const learn = (hint: Hint) => {
    known.last = hint.sequence
    touch(hint)
  }
  others.onmessage = ({ data }: MessageEvent<Hint>) => learn(data)
  const passOn = (hint: Hint) => {
    learn(hint)
    others.postMessage(hint)
  }
  // Browsers without locks would hold a stream for each tab: they ask as before.
  if ('locks' in navigator) void keepFollowing({ place, name, signal, known, passOn })
  return () => {
    leaving.abort()
    others.close()
    // Until the next one: what happens meanwhile comes by no hint.
    setFollowed(false)
  }
}

type Asked = Pick<Query, 'queryKey' | 'meta'>
type Known = { last: number | undefined }
type Following = Readonly<{
  place: Place
  name: string
  signal: AbortSignal
  known: Known
  passOn: (hint: Hint) => void
}>

async function keepFollowing(following: Following): Promise<void> {
  const { signal } = following
  let failures = 0
  while (!signal.aborted) {
    await untilQuiet(signal)
    const came = await inTurn(following)
    failures = came === 'refused' || came === 'unreached' ? failures + 1 : 0
    if (failures > 0 || came === undefined) askAsBefore(came !== undefined)
    if (came !== undefined) await rest(waitAfter(failures), signal)
  }
}

/** Servers that start again are not asked by all browsers in the same moment. */
function waitAfter(failures: number): number {
  const wait_ms = soon_ms * 5 ** failures
  return (wait_ms < latest_ms ? wait_ms : latest_ms) + (performance.now() % 3_000)
}

/** Without hints: what has happened since the last one is asked for at once, then by the clock. */
function askAsBefore(isMissed: boolean): void {
  if (!isFollowed()) return
  setFollowed(false)
  if (isMissed) void readAllAgain()
}

const isSeen = (): boolean => document.visibilityState === 'visible' && isOnline()

async function untilQuiet(signal: AbortSignal): Promise<void> {
  for (let looks = 0; looks < quiet_looks && !signal.aborted; ) {
    await rest(look_ms, signal)
    looks = isSeen() && queries.isFetching() === 0 ? looks + 1 : 0
  }
}

/** Undefined: the tab is not looked at any more, or the page has gone elsewhere. */
async function inTurn({ place, name, signal, known, passOn }: Following) {
  const unseen = new AbortController()
  const look = () => {
    if (signal.aborted || !isSeen()) unseen.abort()
  }
  signal.addEventListener('abort', look)
  document.addEventListener('visibilitychange', look)
  addEventListener('offline', look)
  try {
    look()
    return await navigator.locks.request(name, { signal: unseen.signal }, () =>
      readHints({ place, signal: unseen.signal, known, passOn }),
    )
  } catch {
    return undefined
  } finally {
    signal.removeEventListener('abort', look)
    document.removeEventListener('visibilitychange', look)
    removeEventListener('offline', look)
  }
}

function readHints({ place, signal, known, passOn }: Omit<Following, 'name'>): Promise<Followed> {
  const query = known.last === undefined ? {} : { after: String(known.last) }
  let rest_of_text = ''
  return follow<GetEventsStreamData>({ url: '/events/stream/', query, place, signal }, (text) => {
    const parts = (rest_of_text + text).split('\n\n')
    rest_of_text = parts.pop() ?? ''
    for (const part of parts) {
      const hint = hintIn(part)
      if (hint === undefined) continue
      setFollowed(true)
      passOn(hint)
    }
  })
}

function hintIn(text: string): Hint | undefined {
  const [, event] = /^event: (.+)$/m.exec(text) ?? []
  const [, data] = /^data: (.+)$/m.exec(text) ?? []
  if (event === undefined || data === undefined) return undefined
  return { ...JSON.parse(data), ...(event === 'resync' && { isResync: true }) }
}

/** Reads what is on screen anew: the first hint at once, what comes meanwhile together. */
function touching(place: Place, signal: AbortSignal): (hint: Hint) => void {
  let waiting: Hint[] = []
  let isResting = false
  const readNow = () => {
    const hints = waiting
    waiting = []
    const isNew = ({ queryKey }: Asked) =>
      isOf(place, queryKey) && hints.some((hint) => isTouched(queryKey, hint))
    void queries.invalidateQueries({
      predicate: (asked) => isNew(asked) && isKept(asked),
      refetchType: 'none',
    })
    void queries.invalidateQueries({ predicate: (asked) => isNew(asked) && !isKept(asked) })
  }
  const read = async () => {
    isResting = true
    while (waiting.length > 0 && !signal.aborted) {
      // All that comes in one piece is one change.
      await rest(0, signal)
      readNow()
      await rest(between_reads_ms, signal)
    }
    isResting = false
  }
  return (hint) => {
    if (hint.kind === undefined && hint.isResync !== true) return
    waiting.push(hint)
    if (!isResting) void read()
  }
}

const isOf = ({ merchant, environment }: Place, [, one, other]: readonly unknown[]): boolean =>
  one === merchant && other === environment

/** Those that are asked for by the clock change under their reader anyway. */
const isKept = ({ queryKey: [url], meta }: Asked): boolean =>
  list.test(String(url)) && meta?.['isByClock'] !== true

/**
 * Of one record only what has happened to it; everything after a resync. A refund's hint does not
 * say of which payment it is: the one that is looked at may be.
 */
function isTouched([url, , , path]: readonly unknown[], { kind, id, isResync }: Hint): boolean {
  const address = String(url)
  if (isResync === true || (kind === 'transaction' && paidBy.test(address))) return true
  if (touchedBy[kind ?? '']?.test(address) !== true) return false
  if (kind === 'refund' || typeof path !== 'object' || path === null) return true
  return Object.values(path).includes(id)
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
