// A host name that is the dashboard's alone (DASHBOARD_URL, docs/decisions/0234): which requests
// are for it, and what is answered there. Law: where it is set, a session by cookie is opened and
// counts at that host and nowhere else, and nothing is served there but the dashboard and the API,
// so that what payers open and what anybody reads shares no origin with a session.

import type { IncomingHttpHeaders } from 'node:http'

/** Of the settings: our addresses. */
export type OwnAddresses = Readonly<{
  /** Without a slash at its end, or with one. */
  public_url: string
  /** An origin; null or absent: the dashboard is at `public_url`. */
  dashboard_url?: string | null | undefined
}>

/** `only`: the dashboard has no host of its own. `public`: any other than the dashboard's. */
type Side = 'only' | 'dashboard' | 'public'

/** By the header Host, which a browser sets itself and a proxy in front must leave as it is. */
export function sideOf({ host = '' }: IncomingHttpHeaders, { dashboard_url }: OwnAddresses): Side {
  if (dashboard_url == null) return 'only'
  const own = new URL(dashboard_url)
  const usual_port = own.protocol === 'https:' ? 443 : 80
  const asked = host.toLowerCase()
  const isOwn = asked === own.host || (own.port === '' && asked === `${own.host}:${usual_port}`)
  return isOwn ? 'dashboard' : 'public'
}

/** Where pages of ours hold sessions, without a slash at its end. */
export const homeOf = ({ public_url, dashboard_url }: OwnAddresses): string =>
  dashboard_url ?? public_url.replace(/\/+$/, '')

type Asked = Readonly<{
  method: string
  /** Path and query. */
  url: string
  headers: Readonly<IncomingHttpHeaders>
  /** The pattern of the route that takes it; undefined: none does. */
  route: string | undefined
}>

const isReading = (method: string): boolean => method === 'GET' || method === 'HEAD'

const ofDashboard = /^\/dashboard(\/|$)/
/** And whether we live, which whoever runs the host asks by any of its names. */
const ofItsHost = /^\/(dashboard|api\/v1|healthz|readyz)(\/|$)/

/** The address to go to instead; undefined: it is answered here. */
export function leadsTo(asked: Asked, where: OwnAddresses): string | undefined {
  const { method, url, route = '' } = asked
  const side = sideOf(asked.headers, where)
  // Behind the host's name nothing but a path may stand.
  if (side === 'only' || !isReading(method) || !url.startsWith('/')) return undefined
  const home = homeOf(where)
  if (side === 'dashboard') return /^\/(\?|$)/.test(url) ? `${home}/dashboard` : undefined
  return ofDashboard.test(route) ? home + url : undefined
}

/**
 * At the dashboard's host an address of another kind is as unknown as one that there is not. By the
 * route that was found, so that no way to spell an address leads past it.
 */
export function isKeptFrom({ url, headers, route }: Asked, where: OwnAddresses): boolean {
  if (sideOf(headers, where) !== 'dashboard') return false
  const [path = '/'] = url.split('?')
  return !ofItsHost.test(route ?? path)
}
