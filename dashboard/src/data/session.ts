// Who is signed in, in this tab. The proof is an httpOnly cookie that no script sees; here is only
// what the API answers of the person. Law: whoever signs out leaves nothing behind on the screen.

import { useSyncExternalStore } from 'react'
import type {
  GetAuthMeData,
  GetAuthMeResponse,
  Me,
  PostAuthLoginData,
  PostAuthLoginResponse,
  PostAuthTotpVerifyData,
  PostAuthTotpVerifyResponse,
} from '../api/types.gen.ts'
import { t } from '../words/translate.ts'
import { CallFailed, type ContentOf, call, failureIn } from './call.ts'
import { keep, keepsNothing, kept } from './kept.ts'

export type Session =
  | Readonly<{ is: 'unknown' }>
  /** We could not ask. */
  | Readonly<{ is: 'unreached' }>
  | Readonly<{ is: 'out' }>
  | Readonly<{ is: 'in'; me: Me }>
  /** It ended under the reader's hands: they sign in again over the page. */
  | Readonly<{ is: 'over'; me: Me }>

let session: Session = { is: 'unknown' }
const listeners = new Set<() => void>()

/** Who was signed in here last: only then is it worth asking who is. It proves nothing. */
const known_key = 'pirogue-known'

let read_at = 0

/** How long ago the API said who is signed in, in ms. */
export const sessionAge = (): number => performance.now() - read_at

function become(next: Session): void {
  session = next
  if (next.is === 'in') read_at = performance.now()
  if (next.is === 'in') keep(known_key, next.me.member.id)
  if (next.is === 'out') keep(known_key, null)
  for (const listener of listeners) listener()
}

export const useSession = (): Session =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )

/** Called for every 401. */
export function sessionEnded(): void {
  if (session.is === 'in') become({ is: 'over', me: session.me })
}

/** Says who sits here to the browser's other tabs: they share the cookie, not what they show. */
const seat = new BroadcastChannel('pirogue-seat')

/**
 * Another tab signed out, or somebody else signed in there: what this one shows is not theirs. The
 * same person came there: what an e-mail's link has changed of them is read here too.
 */
export function watchOtherTabs(leave: () => void): void {
  seat.onmessage = ({ data: member_id }: MessageEvent<string>) => {
    if (!('me' in session)) return
    if (session.me.member.id !== member_id) leave()
    else lookAtSession({ isBackground: true }).catch(() => undefined)
  }
}

async function whoIsIn(): Promise<Me> {
  const me: ContentOf<GetAuthMeResponse> = await call<GetAuthMeData, GetAuthMeResponse>({
    method: 'GET',
    url: '/auth/me/',
  })
  become({ is: 'in', me })
  seat.postMessage(me.member.id)
  return me
}

/** Asks who is signed in; undefined: nobody, or we could not ask. */
export async function readSession(): Promise<Me | undefined> {
  try {
    return await whoIsIn()
  } catch (error) {
    const failure = failureIn(error)
    const isOut = failure?.is === 'refused' && [401, 403].includes(failure.status)
    // A page that is there stays, with what was begun or is shown once: it is known whose it is.
    if (!('me' in session)) become({ is: isOut ? 'out' : 'unreached' })
    return undefined
  }
}

/** Whether it is worth asking who is signed in: where the browser does not say, it is. */
export const wasSignedIn = (): boolean => lastHere() !== null || keepsNothing()

const lastHere = () => kept(known_key)

/** When the dashboard opens; where nobody was signed in there is nobody to ask about. */
export async function findSession(): Promise<void> {
  if (!wasSignedIn()) become({ is: 'out' })
  else await readSession()
}

type Look = Readonly<{ isBackground: boolean; signal?: AbortSignal }>

/**
 * Reads anew how long the session lives; in the background without using it. That it is over is
 * noticed where every answer is read.
 */
export async function lookAtSession({ isBackground, signal }: Look): Promise<Me> {
  const me: ContentOf<GetAuthMeResponse> = await call<GetAuthMeData, GetAuthMeResponse>({
    ...{ method: 'GET', url: '/auth/me/', isBackground, signal },
  })
  if (session.is === 'in') become({ is: 'in', me })
  return me
}

/** So long a page that was kept stays empty for want of an answer, in ms. */
const patience_ms = 5_000

/**
 * Whether whoever sits here still is who this page is of: asked by a page that the browser had kept
 * and shows again, to which no other tab could say anything. Where the API cannot be asked, or does
 * not answer soon, what counts is who signed in last in this browser, and did not sign out.
 */
export async function isStillTheirs(): Promise<boolean> {
  const before = 'me' in session ? session.me.member.id : undefined
  if (before === undefined || lastHere() !== before) return false
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), patience_ms)
  const asked = lookAtSession({ isBackground: true, signal: late.signal })
  const now = await asked.catch(() => undefined)
  clearTimeout(timer)
  return lastHere() === before && (now === undefined || now.member.id === before)
}

let isLooking = false

/** Called where a right turns out to be lost: what is shown and offered follows the API again. */
export async function rightsLost(): Promise<void> {
  if (isLooking) return
  isLooking = true
  await lookAtSession({ isBackground: true }).catch(() => undefined)
  isLooking = false
}

export type Credentials = Readonly<{ email: string; password: string; totp?: string }>

const device_key = 'pirogue-device'

/** The person who has signed in is another one than before: what is shown is not theirs. */
export type SignedIn = Readonly<{ isSomebodyElse: boolean }>

export async function signIn(credentials: Credentials): Promise<SignedIn> {
  const before = session.is === 'over' ? session.me.member.id : undefined
  const device_token = kept(device_key)
  const body = { ...credentials, ...(device_token && { device_token }), cookie: true }
  const answer = await call<PostAuthLoginData, PostAuthLoginResponse>({
    method: 'POST',
    url: '/auth/login/',
    body,
  })
  // It opens nothing: it only keeps strangers' guesses from slowing this device down.
  keep(device_key, answer.device_token)
  const { member } = await meet()
  return { isSomebodyElse: before !== undefined && before !== member.id }
}

/**
 * Who has just signed in or up. An answer that was lost is asked for once more: a code is good for
 * one time, and what was made is made. Where none comes, why is thrown.
 */
export async function meet(): Promise<Me> {
  try {
    return (await readSession()) ?? (await whoIsIn())
  } catch (error) {
    const failure = failureIn(error)
    throw failure?.is === 'refused' && failure.status === 401 ? notKept() : error
  }
}

/** Without https browsers keep no such cookie, but on the machine itself. */
const notKept = (): CallFailed =>
  new CallFailed({
    ...{ is: 'refused', status: 401, code: '', message: t('session_not_kept') },
    ...{ retryable: false, request_id: '', retry_after_s: 0 },
  })

/** Called once the service has ended it, and not before. */
export function sessionLeft(): void {
  seat.postMessage('')
  become({ is: 'out' })
}

/** The second factor's code makes the session fresh for the acts of the next ten minutes. */
export const freshenBy = (code: string) =>
  call<PostAuthTotpVerifyData, PostAuthTotpVerifyResponse>({
    ...{ method: 'POST', url: '/auth/totp/verify/', body: { code } },
  })
