// What `gateway check` looks at where calls of an account go through a proxy: whether it lets us
// through to the operator, and which addresses the operator then sees. Nothing but CONNECT is sent.

import { promises as dns } from 'node:dns'
import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { Text } from '../platform/errors.ts'
import type { Environment } from '../platform/http/route.ts'
import { refuseAddress } from '../platform/outbound/addresses.ts'
import { type OutboundProxy, proxyAuthorization } from '../platform/outbound/agents.ts'
import { fail, pass, rotateCommand, warn } from './findings.ts'
import type { Finding } from './gateway.ts'

const patience_ms = 10_000

/** `socket`: to the operator, where the proxy has let us through. */
export type Tunnel = Readonly<{ finding: Finding; socket?: Socket }>

const ofProxy: Text = { en: 'proxy', fr: 'serveur proxy' }

/** Nothing comes to the operator. */
export const isProxyFault = ({ what, is }: Finding): boolean => what === ofProxy && is === 'FAIL'

type To = Readonly<{ code: string; host: string; port: number }>

/** `wait_ms`: for the whole of its answer, however it comes. */
export function openTunnel(
  proxy: OutboundProxy,
  { code, host, port }: To,
  wait_ms = patience_ms,
): Promise<Tunnel> {
  const place = new URL(proxy.url)
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const authorization = proxyAuthorization(proxy)
  return new Promise((resolve) => {
    const call = request({
      ...{ host: bareHost(place), port: Number(place.port || '80'), agent: false },
      ...{ method: 'CONNECT', path: authority },
      headers: authorization === undefined ? {} : { 'proxy-authorization': authorization },
    })
    const timer = setTimeout(() => call.destroy(new Error('no answer')), wait_ms)
    call.on('close', () => clearTimeout(timer))
    call.on('connect', ({ statusCode = 0 }, socket) => {
      clearTimeout(timer)
      if (statusCode === 200) {
        const found = { en: `${proxy.url} lets us through`, fr: `${proxy.url} laisse passer` }
        return resolve({ finding: pass(ofProxy, found), socket })
      }
      socket.destroy()
      const isLogin = statusCode === 407
      resolve({
        finding: isLogin ? loginFault(proxy, code) : refusal(proxy, authority, statusCode),
      })
    })
    call.on('error', () => resolve({ finding: unreached(proxy) }))
    call.end()
  })
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const loginFault = ({ url }: OutboundProxy, code: string): Finding =>
  fail(
    ofProxy,
    {
      en: `${url} does not know who comes: status 407`,
      fr: `${url} ne nous reconnaît pas : statut 407`,
    },
    {
      en: `Set egress_proxy_login with the other secrets: ${rotateCommand(code)}`,
      fr: `Saisissez egress_proxy_login avec les autres secrets : ${rotateCommand(code)}`,
    },
  )

const refusal = ({ url }: OutboundProxy, authority: string, status: number): Finding =>
  fail(
    ofProxy,
    {
      en: `${url} does not let us through to ${authority}: status ${status}`,
      fr: `${url} ne laisse pas passer vers ${authority} : statut ${status}`,
    },
    {
      en: `Have whoever runs the proxy let us through to ${authority}.`,
      fr: `Faites autoriser ${authority} par qui gère le proxy.`,
    },
  )

const unreached = ({ url }: OutboundProxy): Finding =>
  fail(
    ofProxy,
    { en: `${url} does not answer`, fr: `${url} ne répond pas` },
    {
      en: 'Compare egress_proxy, then ask whoever runs the proxy whether it is up.',
      fr: 'Vérifiez egress_proxy, puis demandez à qui gère le proxy s’il fonctionne.',
    },
  )

/** Which addresses its operator sees: of a proxy we know its own alone, which may be others. */
export async function proxyEgressFinding(
  { url }: OutboundProxy,
  { environment }: Readonly<{ environment: Environment }>,
): Promise<Finding> {
  const what = { en: 'addresses that our calls leave from', fr: 'adresses de départ de nos appels' }
  const found = await dns.lookup(bareHost(new URL(url)), { all: true }).catch(() => [])
  const seen = found.map(({ address }) => address).filter((one) => !isOurs(one))
  const way = { en: `through the proxy ${url}`, fr: `par le proxy ${url}` }
  const ask = {
    en:
      'Ask whoever runs the proxy which public addresses its calls leave from, and give them to ' +
      'the operator.',
    fr:
      'Demandez à qui gère le proxy de quelles adresses publiques partent ses appels, et ' +
      'communiquez-les à l’opérateur.',
  }
  if (seen.length > 0) {
    const all = seen.join(', ')
    return pass(what, {
      en: `${way.en}, whose own are ${all}: give the operator those that it leaves from`,
      fr: `${way.fr}, qui a ${all} : donnez à l’opérateur celles dont il part`,
    })
  }
  const unknown = { en: `${way.en}: not known`, fr: `${way.fr} : inconnues` }
  return environment === 'LIVE' ? warn(what, unknown, ask) : pass(what, unknown)
}

const rules = { allow_private: false, own_ports: () => [] }

/** An address of this machine or network, which nobody reaches over the internet. */
export const isOurs = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && refuseAddress(host, 443, rules) !== undefined)
