// The HTTP server: serves routes that are data, and gives every answer of every origin the same
// headers and the same envelope (contract 1). Fastify is seen here and in app/ only.

import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import { refuse } from '../errors.ts'
import { describeError } from '../log.ts'
import { Addresses, refusalOf } from './addresses.ts'
import type { Authenticate, AuthenticatePerson } from './admission.ts'
import {
  type Answered,
  answerLine,
  maskedEmail,
  refusedAs,
  type SecurityEvent,
  securityEventOf,
} from './answer-line.ts'
import { hasSessionCookie } from './browser-session.ts'
import { isKeptFrom, leadsTo, sideOf } from './dashboard-host.ts'
import { answerError } from './errors.ts'
import { factsOf, type HttpConfig, type HttpSettings, settingsOf } from './facts.ts'
import { requestIdOf } from './headers.ts'
import { api_prefix } from './input.ts'
import { parseJson } from './json-body.ts'
import {
  buildOpenApi,
  type OpenApiDocument,
  type OpenApiOptions,
  serveDocument,
} from './openapi.ts'
import type { Pages } from './page-route.ts'
import type { PathReference } from './path-reference.ts'
import { sendError, wrapError } from './reply.ts'
import type { ServedRoute } from './route.ts'
import { type Built, serveBuilt } from './serve-built.ts'
import { servePages } from './serve-pages.ts'
import { listTurns, type RunOnce, type Serving, serveRoute } from './serve-route.ts'
import { transportErrors } from './transport-errors.ts'

export type ServerOptions = Readonly<{
  routes: readonly ServedRoute[]
  authenticate: Authenticate
  authenticatePerson?: AuthenticatePerson
  once?: RunOnce
  path_reference?: PathReference
  config: HttpConfig
  log: Logger
  /** Called for each answer that is a security event. */
  onSecurityEvent?: (event: SecurityEvent) => void
  /** Routes outside `/api/v1` (callbacks, pages, health), in a scope of their own. */
  extra?: (app: FastifyInstance) => void | Promise<void>
  /** Pages for people, at the origin. */
  pages?: Pages
  /** Pages over the document of the very routes that are served. */
  documentPages?: (document: () => OpenApiDocument) => Pages
  /** The merchant's dashboard, at `/dashboard`. */
  dashboard?: Built | undefined
  /** What OpenAPI contains beside the routes. */
  openapi?: OpenApiOptions
}>

export type HttpServer = Readonly<{
  app: FastifyInstance
  inject: FastifyInstance['inject']
  /** Port 0 takes any free one; the port taken is returned. */
  listen(port: number, host: string): Promise<{ port: number }>
  /** Stops accepting, lets the requests in flight end, then resolves. */
  close(): Promise<void>
}>

declare module 'fastify' {
  interface FastifyContextConfig {
    upload_types?: readonly string[]
  }
}

export const body_bytes_max = 1_048_576
const path_part_max = 256
/** Of a file: 10 MB from a telephone that sends 280 kbit/s. Its headers come within a minute. */
const request_timeout_ms = 300_000
/** Any other body; and what is left of one that has its answer and that nobody reads. */
const body_timeout_ms = 60_000

/** Our own line after each answer names the route, not the URL: a query can hold a phone. */
class OwnLines extends LogController {
  /** A file that breaks off half-way can no longer become an error answer: the log has it. */
  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // Who follows a stream of events leaves it half-way: it has no other end.
    if (reply.getHeader('content-type') === 'text/event-stream') return
    request.log.error(describeError(error), 'file broken off')
  }
}

function makeApp(log: Logger, settings: HttpSettings): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log
  const app = fastify({
    loggerInstance,
    // Node would answer a missing Host by itself, without our envelope: `refuseHostless` does.
    http: { requireHostHeader: false },
    rewriteUrl: ({ url = '/' }) => originForm(url),
    genReqId: (request: { headers: IncomingHttpHeaders }) =>
      requestIdOf(request.headers['x-request-id']),
    logController: new OwnLines({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    trustProxy: false,
    bodyLimit: body_bytes_max,
    requestTimeout: request_timeout_ms,
    // While closing, what still arrives on an open connection is in flight and is answered.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: path_part_max },
    frameworkErrors: (error, request, reply) => refuseWith(settings, error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, settings),
  })
  // An expectation that we do not know may be ignored (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response)
  })
  return app
}

/** `http://host/path`, which every server must take (RFC 9112, 3.2.2), as `/path`. */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*\/?/i, '/')

function refuseHostless({ raw, headers }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw refuse(transportErrors.bad_request)
  }
}

function refuseWith(
  settings: HttpSettings,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const facts = factsOf(request, settings)
  const { locale, preference } = facts
  facts.refused = refusedAs(error)
  // What fails before the first hook does not have our headers yet.
  if (!reply.hasHeader('x-request-id')) reply.headers(settings.headers(request.id))
  const answer = answerError(error, locale)
  if (answer.bug) request.log.error(describeError(error), 'bug')
  // A connection that is closed while its client still sends is reset, and the answer lost with it
  // (RFC 9112, 9.6). Left open, what remains of the body is read and dropped, for no longer than a
  // request may take.
  if (answer.status === transportErrors.payload_too_large.status) reply.removeHeader('connection')
  sendError(reply, { by_default: settings.envelope, preference }, answer)
}

type SecurityEventListener = (event: SecurityEvent) => void

/** One line for each answer; a security event is a warning, and counted. */
function logAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  onSecurityEvent: SecurityEventListener,
): void {
  const answered: Answered = {
    method: request.method,
    route: request.routeOptions.url,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    user_agent: request.headers['user-agent'],
    body: request.body,
    facts: request.facts,
    has_credential:
      request.headers.authorization !== undefined ||
      hasSessionCookie(request.headers) ||
      request.facts?.ticket !== undefined,
  }
  const line = answerLine(answered)
  const event = securityEventOf(answered)
  if (event === undefined) {
    request.log.info(line, 'answered')
    return
  }
  onSecurityEvent(event)
  const email = event === 'sign_in_refused' ? { email: maskedEmail(request.body) } : {}
  request.log.warn({ ...line, ...email, security: event }, 'answered')
}

const slow = () =>
  Object.assign(new Error('the body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Node has one limit for all requests: here the shorter one, where a body is still to come. */
function endIfSlow({ raw }: FastifyRequest, reply: FastifyReply, settings: HttpSettings): void {
  if (raw.complete !== false) return
  const timer = setTimeout(() => {
    if (!reply.raw.headersSent) answerClientError(slow(), raw.socket, settings)
    raw.socket.destroySoon()
  }, body_timeout_ms)
  raw.once('close', () => clearTimeout(timer))
}

function addHooks(
  app: FastifyInstance,
  settings: HttpSettings,
  {
    addresses,
    onSecurityEvent,
  }: Readonly<{ addresses: Addresses; onSecurityEvent: SecurityEventListener }>,
): void {
  app.decorateRequest('facts', null)
  app.addHook('onRoute', ({ url, method }) => addresses.add(url, method))
  app.addHook('onRequest', async (request, reply) => {
    factsOf(request, settings)
    reply.headers(settings.headers(request.id))
    refuseHostless(request)
    const { method, url, headers } = request
    const asked = { method, url, headers, route: request.routeOptions.url }
    const to = leadsTo(asked, settings)
    if (to !== undefined) return reply.redirect(to, 302)
    const isKept = isKeptFrom(asked, settings)
    if (!request.is404 && !isKept) return undefined
    const refusal = refusalOf(addresses, request, {
      ...{ reply, isKept },
      isAtDashboard: sideOf(headers, settings) === 'dashboard',
    })
    if (!isKept) throw refusal
    // Thrown, it would be shown as whatever answers at the other host shows what it refuses.
    refuseWith(settings, refusal, request, reply)
    return reply
  })
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const isFile = (request.routeOptions.config.upload_types ?? []).length > 0
    if (!isFile) endIfSlow(request, reply, settings)
    done()
  })
  app.addHook('onResponse', async (request, reply) => {
    logAnswer(request, reply, onSecurityEvent)
    endIfSlow(request, reply, settings)
  })
  app.setErrorHandler((error, request, reply) => refuseWith(settings, error, request, reply))
  // An address that exists, below which a file does not: answered by whatever serves the files.
  app.setNotFoundHandler((request, reply) =>
    refuseWith(settings, refuse(transportErrors.not_found), request, reply),
  )
}

/** An empty list is an empty object, because PHP writes one so (contract 8.6). */
async function readJson(_request: FastifyRequest, body: Buffer): Promise<unknown> {
  const sent = parseJson(body)
  return Array.isArray(sent) && sent.length === 0 ? {} : sent
}

/** Any other body: the file of an upload route; an empty body is fine everywhere. */
async function readOther(request: FastifyRequest, body: Buffer): Promise<unknown> {
  // Clients name a content type even where they send nothing.
  if (body.length === 0) return undefined
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  const accepted = request.routeOptions.config.upload_types ?? []
  if (accepted.includes(type.trim().toLowerCase())) return body
  throw refuse(transportErrors.unsupported_media_type)
}

function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson)
  app.addContentTypeParser('*', { parseAs: 'buffer' }, readOther)
}

/** Built when somebody first reads it: a start need not wait for it. */
function documentOf({ routes, config, openapi }: ServerOptions): () => OpenApiDocument {
  let document: OpenApiDocument | undefined
  return () => {
    document ??= buildOpenApi(routes, {
      server: `${config.public_url.replace(/\/+$/, '')}${api_prefix}`,
      envelope: config.envelope,
      ...openapi,
    })
    return document
  }
}

/** Builds the server and makes it ready; nothing listens until `listen`. */
export async function buildServer(options: ServerOptions): Promise<HttpServer> {
  const { routes, authenticate, authenticatePerson, once, path_reference, config, extra } = options
  const settings = settingsOf(config)
  const app = makeApp(options.log, settings)
  const unused = unusedConnections(app)
  const onSecurityEvent = options.onSecurityEvent ?? (() => undefined)
  addHooks(app, settings, { addresses: new Addresses(), onSecurityEvent })
  addBodyParsers(app)
  const serving: Serving = {
    settings,
    authenticate,
    lists: listTurns(),
    ...(authenticatePerson === undefined ? {} : { authenticatePerson }),
    ...(once === undefined ? {} : { once }),
    ...(path_reference === undefined ? {} : { path_reference }),
  }
  for (const route of routes) serveRoute(app, serving, route)
  const document = documentOf(options)
  serveDocument(app, document, settings)
  const { documentPages } = options
  if (documentPages !== undefined) {
    await app.register(async (scope) => servePages(scope, settings, documentPages(document)))
  }
  if (extra !== undefined) await app.register(async (scope) => extra(scope))
  const { pages, dashboard: built } = options
  if (pages !== undefined) await app.register(async (scope) => servePages(scope, settings, pages))
  if (built !== undefined) {
    await app.register(async (scope) => serveBuilt(scope, settings, { built, at: '/dashboard' }))
  }
  await app.ready()
  return {
    app,
    inject: app.inject.bind(app),
    async listen(port, host) {
      await app.listen({ port, host })
      const address = app.server.address()
      // An address that is text is a socket file, which has no port.
      return { port: typeof address === 'object' ? (address?.port ?? port) : port }
    },
    close: () => closeWithConnections(app, unused),
  }
}

/** Those that no request has come on: a browser opens some ahead. Node takes them for busy. */
function unusedConnections({ server }: FastifyInstance): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  return unused
}

/** Something may be on its way on a connection that was opened a moment ago. */
const unused_grace_ms = 500

/**
 * A connection that was busy when the server closed would stay open for as long as it may idle, and
 * one that was never used for as long as a request may take.
 */
async function closeWithConnections(
  app: FastifyInstance,
  unused: ReadonlySet<Socket>,
): Promise<void> {
  const grace_ends = performance.now() + unused_grace_ms
  const closing = setInterval(() => {
    app.server.closeIdleConnections()
    if (performance.now() > grace_ends) for (const socket of unused) socket.destroy()
  }, 50)
  try {
    await app.close()
  } finally {
    clearInterval(closing)
  }
}

// Answers to what never became a request: broken HTTP, headers too large, a body that never came.
// There is no reply object yet, so the bytes are written to the socket.

/** Writes the enveloped error and closes. */
function answerClientError(error: Error, socket: Socket, settings: HttpSettings): void {
  const gone = 'code' in error && error.code === 'ECONNRESET'
  if (gone || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, error: shown } = answerError(error, settings.default_locale)
  const bare = JSON.stringify(shown)
  const body = settings.envelope === 'on' ? wrapError(bare, status) : bare
  const headers = {
    ...settings.headers(requestIdOf(undefined)),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
}
