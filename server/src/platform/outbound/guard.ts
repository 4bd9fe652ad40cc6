// Calls to addresses that a merchant chose (webhooks). Law (contract 6.6): the URL is checked when
// it is registered, and every address its name resolves to is checked again at each connection,
// which is then pinned to it: a name that changes in between reaches nothing of ours.

import { promises as dns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { Text } from '../errors.ts'
import type { Environment } from '../http/route.ts'
import { type AddressRefusal, type AddressRules, refuseAddress } from './addresses.ts'
import { createAgent, dialOptions } from './agents.ts'
import { type OutboundDeps, openClient, type SendRequest, type SendResult } from './outbound.ts'

export type UrlRules = AddressRules & Readonly<{ environment: Environment }>

export type UrlCheck = { is: 'fine' } | { is: 'refused'; why: Text }

const texts = {
  absolute: {
    en: 'Enter an absolute URL that begins with https:// or http://.',
    fr: 'Saisissez une URL absolue qui commence par https:// ou http://.',
  },
  https: {
    en: 'In live mode the URL must begin with https://.',
    fr: 'En mode réel, l’URL doit commencer par https://.',
  },
  userinfo: {
    en: 'The URL must not contain a user name or a password.',
    fr: 'L’URL ne doit contenir ni nom d’utilisateur ni mot de passe.',
  },
  port: {
    en: 'The port must be 80, 443, or 1024 and above.',
    fr: 'Le port doit être 80, 443, ou à partir de 1024.',
  },
  address: {
    en:
      'Webhooks cannot be sent to this address. Use one that can be reached from the public ' +
      'internet, such as a tunnel to your machine.',
    fr:
      'Aucun webhook ne peut être envoyé à cette adresse. Utilisez-en une qui soit joignable ' +
      'depuis internet, par exemple un tunnel vers votre machine.',
  },
} satisfies Record<string, Text>

const refused = (why: Text): UrlCheck => ({ is: 'refused', why })

/** For registration: the form of the URL, and its host where that is an address or `localhost`. */
export function checkUrl(text: string, rules: UrlRules): UrlCheck {
  // The URL parser forgives white space, backslashes and `http:host`; a stored URL should not.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return refused(texts.absolute)
  const url = new URL(text)
  if (rules.environment === 'LIVE' && url.protocol !== 'https:') return refused(texts.https)
  if (url.username !== '' || url.password !== '') return refused(texts.userinfo)
  const port = portOf(url)
  if (port < 1024 && port !== 80 && port !== 443) return refused(texts.port)
  const known = addressesKnownFrom(hostOf(url)) ?? []
  return known.some((address) => refuseAddress(address, port, rules) !== undefined)
    ? refused(texts.address)
    : { is: 'fine' }
}

const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

/** The addresses of a host that are known without a query (RFC 6761 for `localhost`). */
function addressesKnownFrom(host: string): string[] | undefined {
  if (isIP(host) !== 0) return [host]
  return /(^|\.)localhost\.?$/i.test(host) ? ['127.0.0.1', '::1'] : undefined
}

export type GuardedResult = SendResult | { is: 'refused_address'; note: string }

export type GuardedOutbound = Readonly<{
  /** As `Outbound.send`; `refused_address` means that nothing was sent. */
  send(request: SendRequest): Promise<GuardedResult>
  close(): Promise<void>
}>

export type GuardedDeps = OutboundDeps &
  AddressRules &
  Readonly<{
    /** Every address of a name; throws when there is none. Default: `resolverFor`. */
    resolve?: (host: string) => Promise<readonly string[]>
  }>

/** As `createOutbound`, for URLs that we have no reason to trust. */
export function createGuardedOutbound(deps: GuardedDeps): GuardedOutbound {
  const client = openClient(createAgent(guardedDialler(deps)))
  return {
    async send(request) {
      deps.assertNoTransaction()
      // https in LIVE was checked when the URL was registered, where the environment is known.
      const check = checkUrl(request.url, { ...deps, environment: 'SANDBOX' })
      if (check.is === 'refused') return { is: 'refused_address', note: check.why.en }
      try {
        return await client.send(request)
      } catch (error) {
        if (error instanceof RefusedAddress) return { is: 'refused_address', note: error.message }
        throw error
      }
    },
    close: client.close,
  }
}

class RefusedAddress extends Error {
  constructor(host: string, address: string, refusal: AddressRefusal) {
    super(host === address ? `${address}: ${refusal}` : `${host} is ${address}: ${refusal}`)
  }
}

function guardedDialler(deps: GuardedDeps): buildConnector.connector {
  const resolve = deps.resolve ?? resolverFor(deps)
  return (options, callback) => {
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
    checkedAddresses(options.hostname, port, { ...deps, resolve })
      .then((addresses) => {
        // Only the name's answer is replaced, so Host, SNI and the certificate's name stay.
        const dial = buildConnector({ ...dialOptions(deps), lookup: pinnedTo(addresses) })
        dial(options, callback)
      })
      .catch((error: Error) => callback(error, null))
  }
}

/** All addresses of the host, or an error when a single one of them may not be called. */
async function checkedAddresses(
  host: string,
  port: number,
  deps: AddressRules & Required<Pick<GuardedDeps, 'resolve'>>,
): Promise<readonly string[]> {
  const addresses = addressesKnownFrom(host) ?? (await resolveOrFail(host, deps.resolve))
  for (const address of addresses) {
    const refusal = refuseAddress(address, port, deps)
    if (refusal !== undefined) throw new RefusedAddress(host, address, refusal)
  }
  return addresses
}

async function resolveOrFail(host: string, resolve: (host: string) => Promise<readonly string[]>) {
  // One code for all: c-ares reports ECONNREFUSED when the name server, not the host, refused.
  const notFound = (cause?: unknown) =>
    Object.assign(new Error(`no address for ${host}`, { cause }), { code: 'ENOTFOUND' })
  const addresses = await resolve(host).catch((cause: unknown) => Promise.reject(notFound(cause)))
  if (addresses.length === 0) throw notFound()
  return addresses
}

/** Resolves every name to the addresses that were checked, without a query. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return (host, options, callback) => {
    const [first] = answers
    if (options.all) callback(null, answers)
    else if (first) callback(null, first.address, first.family)
    else callback(new Error(`no address for ${host}`), '')
  }
}

/**
 * On a developer's machine names may be in its hosts file, so the system resolves them. Elsewhere
 * the name servers are queried without getaddrinfo: it occupies one of Node's four threads while it
 * waits, and a merchant with a dead name server must not slow the others (design 7).
 */
function resolverFor({ allow_private }: AddressRules): (host: string) => Promise<string[]> {
  if (allow_private) {
    return async (host) => (await dns.lookup(host, { all: true })).map((row) => row.address)
  }
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (host) => {
    const both = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return both.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}
