// A session that a browser holds (contract 8.23, docs/decisions/0040): its cookie, and when it
// counts. Law: a browser adds a cookie to whatever another site makes it send, so the cookie alone
// opens nothing; what another site cannot send with it is what opens.

import type { IncomingHttpHeaders } from 'node:http'
import { refuse, type Text } from '../errors.ts'
import { isLoopback } from '../settings/addresses.ts'
import { homeOf, sideOf, type OwnAddresses as Where } from './dashboard-host.ts'
import type { NoCookie, SessionCookie } from './route.ts'
import { accessErrors } from './transport-errors.ts'

/** What is looked at of a request. */
export type BrowserRequest = Readonly<{ method: string; headers: Readonly<IncomingHttpHeaders> }>

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

export function cookieName(where: Where, area: Area): string {
  return isPlain(new URL(homeOf(where))) ? names[area] : `${secure_prefix}${names[area]}`
}

/** The header Set-Cookie; an ended session takes its cookie along. */
export function cookieText(where: Where, area: Area, cookie: SessionCookie): string {
  const secure = isPlain(new URL(homeOf(where))) ? '' : '; Secure'
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
  const tokensOf = (one: Area) => cookiesNamed(request.headers.cookie, cookieName(where, one))
  const tokens = tokensOf(area)
  const [token] = tokens
  const isElsewhere = tokensOf(area === 'staff' ? 'member' : 'staff').length > 0
  if (token === undefined && !isElsewhere) return undefined
  // Left there by a time before the dashboard had a host of its own.
  if (sideOf(request.headers, where) === 'public') {
    throw notCounted('not at the host of the dashboard', countsAt(homeOf(where)))
  }
  if (token === undefined) throw notCounted('of the other area', elsewhere[area])
  if (request.headers[mark.header] !== mark.value) throw notCounted('no mark', markMissing)
  const is_reading = request.method === 'GET' || request.method === 'HEAD'
  const says_origin = request.headers.origin !== undefined
  if (isForeign(request, where) || !(is_reading || says_origin)) {
    throw notCounted('not from our origin', fromElsewhere(where))
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

/** Why this request gets no session by cookie; undefined: it may. */
export function whyNoCookie(request: BrowserRequest, where: Where): NoCookie | undefined {
  if (sideOf(request.headers, where) === 'public') {
    return { field: 'cookie', message: isSetAt(homeOf(where)) }
  }
  return isForeign(request, where) ? { field: 'Origin', message: foreignOrigin(where) } : undefined
}

/** What the browser says of the page that sends is not our own page. Silence is not foreign. */
function isForeign({ headers }: BrowserRequest, where: Where): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return true
  const { origin, host } = headers
  return origin !== undefined && !isOurOrigin(origin, host, where)
}

/**
 * Where it is set that of DASHBOARD_URL alone. Else that of PUBLIC_URL; on this machine without TLS
 * also its other names, where the page and we have the same host: `localhost` is `127.0.0.1`.
 */
function isOurOrigin(origin: string, host: string | undefined, where: Where): boolean {
  const own = new URL(homeOf(where))
  if (origin === own.origin) return true
  if (where.dashboard_url != null) return false
  if (!isPlain(own) || origin !== `http://${host}` || !URL.canParse(origin)) return false
  return isPlain(new URL(origin))
}

const notCounted = (note: string, message: Text) =>
  refuse(accessErrors.not_authenticated, { message, note: `session cookie: ${note}` })

const markMissing: Text = {
  en: 'A session cookie counts only with the header "X-Requested-With: pirogue".',
  fr: 'Un cookie de session ne compte qu’avec l’en-tête « X-Requested-With: pirogue ».',
}

/** Pages for payers are pages of this service too. */
const fromElsewhere = ({ dashboard_url }: Where): Text =>
  dashboard_url == null
    ? {
        en: 'A session cookie counts only for requests that pages of this service make.',
        fr: 'Un cookie de session ne compte que pour les requêtes des pages de ce service.',
      }
    : {
        en: `A session cookie counts only for requests that pages at ${dashboard_url} make.`,
        fr: `Un cookie de session ne compte que pour les requêtes des pages de ${dashboard_url}.`,
      }

const countsAt = (home: string): Text => ({
  en: `A session cookie counts only at ${home}, where the dashboard is.`,
  fr: `Un cookie de session ne compte qu’à ${home}, l’adresse du tableau de bord.`,
})

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
const foreignOrigin = ({ dashboard_url }: Where): Text =>
  dashboard_url == null
    ? {
        en: 'A session cookie is set only for pages of this service.',
        fr: 'Un cookie de session n’est posé que pour les pages de ce service.',
      }
    : {
        en: `A session cookie is set only for pages at ${dashboard_url}.`,
        fr: `Un cookie de session n’est posé que pour les pages de ${dashboard_url}.`,
      }

/** Refused, not passed over: its page would open a session that neither it nor its cookies have. */
const isSetAt = (home: string): Text => ({
  en: `A session cookie is set only at ${home}, where the dashboard is. Omit this for a token.`,
  fr:
    `Un cookie de session n’est posé qu’à ${home}, l’adresse du tableau de bord. ` +
    'Omettez ce champ pour recevoir un jeton.',
})
