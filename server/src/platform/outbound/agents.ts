// How connections are opened: straight to the receiver, or through a proxy by CONNECT. Law: a proxy
// sees the receiver's name and port and no more where there is TLS, which holds end to end with its
// certificates and ours; and nothing of a request is written before the proxy has let us through.

import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import { answer_bytes_max, bounded } from './bounded-answers.ts'
import type { OwnTls } from './own-certificate.ts'

/** The limit here only ends dials that `send` has given up already. Milliseconds. */
const dial_ms = 15_000

/** How a connection is opened. */
export function dialOptions({ ca, cert, key }: OwnTls) {
  return {
    // Node's 250 ms for each address but the last is shorter than many round trips to Africa.
    ...{ timeout: dial_ms, autoSelectFamilyAttemptTimeout: 1_000 },
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  }
}

const agentOptions = {
  pipelining: 1,
  allowH2: false,
  // Short, so that few calls meet a connection which the other side is just closing: that is
  // a reset, hence an unknown outcome.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 30_000,
  // One clock for the whole call is kept in `exchange`; undici's own per-phase clocks are off.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const

// Out of reach: undici makes an error, with its stack, for each header beyond its limit.
const beyond = (most: number) => ({ maxHeaderSize: 2 * most })

/** `most`: what one answer may bring, on the wire. Bytes. */
export const createAgent = (dial: buildConnector.connector, most = answer_bytes_max): Agent =>
  new Agent({ ...agentOptions, ...beyond(most), connect: bounded(dial, most) })

export type OutboundProxy = Readonly<{
  /** `http://host:port`. */
  url: string
  /** `user:password`, where it wants to know who comes. */
  login?: string
}>

/** What a proxy is shown of who comes. */
export const proxyAuthorization = ({ login }: OutboundProxy): string | undefined =>
  login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`

/** Every connection is a tunnel of its own, also to a receiver without TLS. */
export function createProxyAgent(proxy: OutboundProxy, tls: OwnTls, most: number): Dispatcher {
  const token = proxyAuthorization(proxy)
  return new ProxyAgent({
    ...{ ...agentOptions, ...beyond(most) },
    ...{ uri: proxy.url, proxyTunnel: true },
    ...(token === undefined ? {} : { token }),
    proxyTls: dialOptions({}),
    requestTls: dialOptions(tls),
    // A proxy that never answers CONNECT keeps no connection for long.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: dial_ms }),
    factory: (origin, options) => new Pool(origin, watched(options, most)),
  })
}

/** What comes through the tunnel is bounded as what comes straight. */
function watched(options: object, most: number): Pool.Options {
  const { connect, ...others }: Pool.Options = options
  if (typeof connect !== 'function') return options
  return { ...others, connect: bounded(faulted(connect), most) }
}

/** The code of the error that a tunnel ends with which the proxy has not made. */
export const proxy_fault_code = 'PROXY_FAULT'

/** What undici makes of an answer to CONNECT that is another than 200, or none. */
const proxyFaults = new Set([
  ...['UND_ERR_ABORTED', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_HEADERS_OVERFLOW'],
])

/**
 * undici takes a proxy that hangs up for a connection that it may open again, and would do so
 * without end and without rest, also once whoever called has given up.
 */
const faulted =
  (dial: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    dial(options, (...result) => {
      const [error] = result
      if (error === null || !isProxyFault(error)) return callback(...result)
      const fault = new Error('the proxy did not let us through', { cause: error })
      callback(Object.assign(fault, { code: proxy_fault_code }), null)
    })

const isProxyFault = (error: Error): boolean =>
  error.name === 'HTTPParserError' || ('code' in error && proxyFaults.has(String(error.code)))
