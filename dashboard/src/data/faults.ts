// What broke in the dashboard's own code, as it is reported: which screen, where in the code, after
// which call. Law: at most ten a minute; no address with its ids or its query, nothing of a field.

import type { PostClientErrorsData } from '../api/types.gen.ts'
import { failureIn, reach, root } from './call.ts'
import { isOnline } from './connection.ts'
import { newKey } from './once.ts'

/** ERROR: uncaught; REJECTION: of a promise that nobody waits for; PART: it cannot be drawn. */
type FaultKind = PostClientErrorsData['body']['kind']

const most = 10
const minute_ms = 60_000
/** When the last ones were sent. */
let sent: number[] = []

/** Its id; empty: it is no fault of ours, or one too many. */
export function reportFault(kind: FaultKind, fault: unknown): string {
  const now = Date.now()
  sent = sent.filter((at) => now - at < minute_ms)
  if (isOfNetwork(fault) || sent.length >= most) return ''
  sent.push(now)
  const id = newKey()
  // Nothing waits for it, and that it failed is nothing to report.
  reach({
    ...{ method: 'POST', url: '/client-errors/', isBackground: true, id },
    body: bodyOf(kind, fault),
  }).catch(() => undefined)
  return id
}

/** What nobody has caught; parts of screens that break report themselves. */
export function watchFaults(): void {
  // Without what was thrown it is none of our code's: a browser's remark, a script of an extension.
  addEventListener('error', ({ error }) => error && reportFault('ERROR', error))
  addEventListener('unhandledrejection', ({ reason }) => reportFault('REJECTION', reason))
}

/** What a network does, or a session that ends, is said on the screen. */
function isOfNetwork(fault: unknown): boolean {
  const failure = failureIn(fault)
  if (failure?.is === 'offline' || failure?.is === 'unreached') return true
  if (failure?.is === 'refused' && failure.status === 401) return true
  return !isOnline() || (fault instanceof DOMException && fault.name === 'AbortError')
}

function bodyOf(kind: FaultKind, fault: unknown): PostClientErrorsData['body'] {
  const failure = failureIn(fault)
  const isError = fault instanceof Error
  return {
    kind,
    message: (isError ? fault.message : String(fault)).slice(0, 500),
    build: buildOf(),
    path: patternOf(location.pathname),
    request_id: failure?.is === 'refused' ? failure.request_id : '',
    stack: (isError ? (fault.stack ?? '') : '').slice(0, 4000),
  }
}

/** The file that the page runs from: its name is of its content. */
const buildOf = (): string =>
  document.querySelector<HTMLScriptElement>('script[src]')?.src.split('/').pop() ?? ''

/** `/:merchant/live/payouts/:id`: what is no word of an address is an id. */
const patternOf = (path: string): string =>
  `/${path
    .slice(root.length)
    .split('/')
    .map((part, at) => (/^[a-z-]*$/.test(part) ? part : at === 0 ? ':merchant' : ':id'))
    .join('/')}`.slice(0, 128)
