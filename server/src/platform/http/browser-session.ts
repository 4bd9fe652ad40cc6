// A session that a browser holds (contract 8.23, docs/decisions/0040): its cookie, and when it
// counts. Law: a browser adds a cookie to whatever another site makes it send, so the cookie alone
// opens nothing; what another site cannot send with it is what opens.

import type { IncomingHttpHeaders } from 'node:http'
import { refuse, type Text } from '../errors.ts'
import { isLoopback } from '../settings/addresses.ts'
import type { SessionCookie } from './route.ts'
import { accessErrors } from './transport-errors.ts'

/** What is looked at of a request. */
export type BrowserRequest = Readonly<{ method: string; headers: Readonly<IncomingHttpHeaders> }>

/** Of the settings: our own address. */
type Where = Readonly<{ public_url: string }>

/** No form can send this header, and another site's script only where CORS lets it: nowhere. */
export const mark = { header: 'x-requested-with', value: 'pirogue' } as const

const names = { member: 'pirogue_member', staff: 'pirogue_staff' } as const
export type Area = keyof typeof names

/** Staff's cookie counts under `/admin/` and nowhere else, a member's nowhere there. */
export const areaOf = (path: string): Area => (path.startsWith('/admin/') ? 'staff' : 'member')

/** By itself a browser keeps this name for our own host, sent over https, and no subdomain's. */
const secure_prefix = '__Host-'

/** On this machine alone, without TLS: no browser would keep a Secure cookie of some such hosts. */
const isPlain = (url: URL): boolean => url.protocol === 'http:' && isLoopback(nameOf(url))

const nameOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

export function cookieName({ public_url }: Where, area: Area): string {
  return isPlain(new URL(public_url)) ? names[area] : `${secure_prefix}${names[area]}`
}

/** The header Set-Cookie; an ended session takes its cookie along. */
export function cookieText(where: Where, area: Area, cookie: SessionCookie): string {
  const secure = isPlain(new URL(where.public_url)) ? '' : '; Secure'
  const kept = `Path=/; HttpOnly; SameSite=Strict${secure}`
  const name = cookieName(where, area)
  if (cookie === 'ENDED') return `${name}=; Max-Age=0; ${kept}`
  const left_s = Math.max(1, Math.floor((cookie.expires_at.getTime() - Date.now()) / 1000))
  return `${name}=${cookie.token}; Max-Age=${left_s}; ${kept}`
}

/**
 * The token in the area's cookie. Undefined: there is none. Throws `not_authenticated` where there
 * is one that does not count, and says why: whoever wrote the page must know, and a page of another
 * site cannot read it.
 */
export function readSessionCookie(
  request: BrowserRequest,
  where: Where,
  area: Area,
): string | undefined {
  const tokens = cookiesNamed(request.headers.cookie, cookieName(where, area))
  const [token] = tokens
  if (token === undefined) {
    const other = area === 'staff' ? 'member' : 'staff'
    const isElsewhere = cookiesNamed(request.headers.cookie, cookieName(where, other)).length > 0
    if (isElsewhere) throw notCounted('of the other area', elsewhere[area])
    return undefined
  }
  if (request.headers[mark.header] !== mark.value) throw notCounted('no mark', markMissing)
  const is_reading = request.method === 'GET' || request.method === 'HEAD'
  const says_origin = request.headers.origin !== undefined
  if (isForeign(request, where) || !(is_reading || says_origin)) {
    throw notCounted('not from our origin', fromElsewhere)
  }
  // Somebody else of this host has planted one: which is ours cannot be seen.
  if (tokens.length > 1) throw notCounted('more than one', planted)
  return token
}

/** A page of ours sends it with a session of this area: by itself a browser sends no mark. */
export const showsSession = ({ headers }: BrowserRequest, where: Where, area: Area): boolean =>
  headers[mark.header] === mark.value &&
  cookiesNamed(headers.cookie, cookieName(where, area)).length > 0

/** A session's cookie of either area, under either name. */
export const hasSessionCookie = ({ cookie = '' }: Readonly<IncomingHttpHeaders>): boolean =>
  Object.values(names).some((name) => new RegExp(`(?:^|[; ]|__Host-)${name}=`).test(cookie))

function cookiesNamed(header: string | undefined, name: string): string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}

/** What the browser says of the page that sends is not our own page. Silence is not foreign. */
export function isForeign({ headers }: BrowserRequest, where: Where): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  const { origin, host } = headers
  return origin !== undefined && !isOurOrigin(origin, host, where)
}

/**
 * That of PUBLIC_URL; on this machine without TLS also its other names, where the page and we have
 * the same host: `localhost` is `127.0.0.1`.
 */
function isOurOrigin(origin: string, host: string | undefined, { public_url }: Where): boolean {
  const own = new URL(public_url)
  if (origin === own.origin) return true
  if (!isPlain(own) || origin !== `http://${host}` || !URL.canParse(origin)) return false
  return isPlain(new URL(origin))
}

const notCounted = (note: string, message: Text) =>
  refuse(accessErrors.not_authenticated, { message, note: `session cookie: ${note}` })

const markMissing: Text = {
  en: 'A session cookie counts only with the header "X-Requested-With: pirogue".',
  fr: 'Un cookie de session ne compte qu’avec l’en-tête « X-Requested-With: pirogue ».',
}

const fromElsewhere: Text = {
  en: 'A session cookie counts only for requests that pages of this service make.',
  fr: 'Un cookie de session ne compte que pour les requêtes des pages de ce service.',
}

/** By the area that was asked. */
const elsewhere: Readonly<Record<Area, Text>> = {
  staff: {
    en: 'This session is a merchant member’s, and this address is for staff. Sign in as staff.',
    fr:
      'Cette session est celle d’un membre ; cette adresse est réservée à l’équipe. ' +
      'Connectez-vous comme membre de l’équipe.',
  },
  member: {
    en: 'This session is for staff, and this address is for merchants. Sign in as a member.',
    fr:
      'Cette session est celle de l’équipe ; cette adresse est réservée aux marchands. ' +
      'Connectez-vous comme membre.',
  },
}

const planted: Text = {
  en: 'There are two session cookies. Delete the cookies of this host, then sign in again.',
  fr: 'Il y a deux cookies de session. Supprimez les cookies de cet hôte et reconnectez-vous.',
}

/** A cookie is asked for by a page that is not ours (contract 8.23). */
export const foreignOrigin: Text = {
  en: 'A session cookie is set only for pages of this service.',
  fr: 'Un cookie de session n’est posé que pour les pages de ce service.',
}
