// Serves one route at its addresses: admission before the body is read, then the body, then the
// idempotency key, then the handler (the order of contract 4.3).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { assert, refuse } from '../errors.ts'
import { networkOf } from '../throttle/throttle.ts'
import { type Turns, turnsOf } from '../turns.ts'
import {
  type Authenticate,
  type AuthenticatePerson,
  checkAccess,
  checkStaff,
  type RequestFacts,
} from './admission.ts'
import { refusedInText } from './answer-line.ts'
import { areaOf, cookieText, readSessionCookie, showsSession } from './browser-session.ts'
import { type Facts, factsOf, type HttpSettings } from './facts.ts'
import { answersFile, takesTicket, ticketIn } from './file-ticket.ts'
import { headersInOwnFrame, rateHeaders, readKey } from './headers.ts'
import {
  api_prefix,
  canonicalRequest,
  type PreparedRoute,
  prepareRoute,
  readInput,
  reportIgnoredQuery,
} from './input.ts'
import { packerFor } from './packed-text.ts'
import { type PathReference, withIds } from './path-reference.ts'
import { type Envelope, sendReply } from './reply.ts'
import type { Caller, Input, Once, Reply, ServedReply, ServedRoute } from './route.ts'
import { accessErrors } from './transport-errors.ts'

/** A call under an idempotency key. */
export type KeyedCall = Readonly<{
  route: ServedRoute
  input: Input
  /** 1 to 255 characters. */
  key: string
  /** Method, path and body, the same for every spelling of the same call. */
  canonical: string
}>

/** The idempotency mechanism (contract 4): runs the handler once, or answers as it did before. */
export type RunOnce = Readonly<{
  run(call: KeyedCall, handler: (once: Once) => Promise<Reply>): Promise<Reply>
}>

export type Serving = Readonly<{
  settings: HttpSettings
  authenticate: Authenticate
  /** Absent where no route is a person's. */
  authenticatePerson?: AuthenticatePerson
  once?: RunOnce
  /** Absent: paths have ids alone. */
  path_reference?: PathReference
  /** For lists and what reads as long; every other route is served without. */
  lists: ListTurns | undefined
}>

export type ListTurns = Readonly<Record<Caller['environment'], Turns>>

/**
 * Lists, searches and figures of merchants: few at a time, fewer of one, SANDBOX apart from LIVE.
 * A merchant that searches a long history many times over waits only for itself.
 */
export const listTurns = (): ListTurns => ({
  LIVE: turnsOf({ ...ofLists, at_once: 4, of_owner: 2 }),
  SANDBOX: turnsOf({ ...ofLists, at_once: 2, of_owner: 1 }),
})

/** A merchant's whole allowance of a minute may come at once and is served (contract 3.6). */
const ofLists = { waiting: 400, wait_ms: 20_000 }

function takesTurns({ method, query, takes_turns }: ServedRoute): boolean {
  if (takes_turns === true) return true
  if (method !== 'GET' || query === undefined || !('properties' in query)) return false
  return Object.keys(query.properties ?? {}).includes('page_size')
}

/** One credential: the header Authorization before a ticket, a ticket before a cookie. */
function requestFacts(
  route: ServedRoute,
  {
    request,
    facts,
    settings,
  }: Readonly<{
    request: FastifyRequest
    facts: Facts
    settings: HttpSettings
  }>,
): RequestFacts {
  const { ip, request_id, locale, ticket } = facts
  const { headers } = request
  const { authorization } = headers
  const sent = { authorization, headers, ip, request_id, locale }
  if (authorization !== undefined) return sent
  if (ticket !== undefined) return { ...sent, ticket }
  const cookie = readSessionCookie(request, settings, areaOf(route.path))
  facts.by_cookie = cookie !== undefined
  return { ...sent, cookie }
}

/** On a public route that has more for who is known; others look at none. */
function showsCredential(
  { knows_callers, path }: ServedRoute,
  request: FastifyRequest,
  settings: HttpSettings,
): boolean {
  if (knows_callers !== true) return false
  const { authorization } = request.headers
  return authorization !== undefined || showsSession(request, settings, areaOf(path))
}

async function admit(
  serving: Serving,
  route: ServedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { settings, authenticate } = serving
  if (route.access === 'public' && !showsCredential(route, request, settings)) {
    return countForm(settings, route, request)
  }
  const facts = factsOf(request, settings)
  if (route.access === 'person' || route.access === 'staff') {
    return admitPerson(serving, route, { request, reply, facts })
  }
  const { caller, rate } = await authenticate(requestFacts(route, { request, facts, settings }))
  // Set before anything can refuse: an error of a known caller shows their allowance too.
  reply.headers(rateHeaders(rate))
  facts.caller = caller
  facts.locale = caller.locale
  checkAccess(route, caller)
  await route.guard?.check(caller)
}

/** Bodies without a credential are counted before they are read, the wrong ones too. */
function countForm(settings: HttpSettings, route: ServedRoute, request: FastifyRequest): void {
  if (route.body === undefined) return
  const { forms, public_forms_per_ip_minute: most = Number.POSITIVE_INFINITY } = settings
  if (forms.take(networkOf(factsOf(request, settings).ip), most)) return
  throw refuse(accessErrors.rate_limited, { retry_after_s: 60 })
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; facts: Facts }

async function admitPerson(
  { authenticatePerson, settings }: Serving,
  route: ServedRoute,
  { request, reply, facts }: Exchange,
): Promise<void> {
  assert(authenticatePerson !== undefined, `nobody can sign in for ${route.path}`)
  const kind = route.access === 'staff' ? 'STAFF' : 'MEMBER'
  const sent = requestFacts(route, { request, facts, settings })
  const { person, rate } = await authenticatePerson(sent, kind)
  reply.headers(rateHeaders(rate))
  facts.person = person
  facts.locale = person.locale
  if (kind === 'STAFF') checkStaff(route, person)
}

const ignoredReporter = (reply: FastifyReply) => (names: string) =>
  reply.header('Ignored-Fields', names)

async function answer(
  serving: Serving,
  prepared: PreparedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ServedReply> {
  const { route } = prepared
  const { settings } = serving
  const facts = factsOf(request, settings)
  const sent = readInput(prepared, {
    request,
    facts,
    settings,
    reportIgnored: ignoredReporter(reply),
  })
  // The route's own schema has passed the body, which is what its handler's type expects.
  const handle = (given: Input) => route.handler(given as Input<never>)
  const { caller } = facts
  if (caller === undefined) return handle(sent)
  const input = { ...sent, params: await withIds(route.path, sent, serving.path_reference) }
  const turns = serving.lists?.[caller.environment]
  if (turns !== undefined) return turns(caller.merchant_id, () => handle(input))
  if (route.idempotent !== true) return handle(input)
  const key = readKey(request.headers)
  if (key === undefined || serving.once === undefined) return handle(input)
  const canonical = canonicalRequest(route, input.params, request.body)
  return serving.once.run({ route, input, key, canonical }, async (once) => {
    const answered = await handle({ ...input, once })
    assert(!('file' in answered), 'a file cannot be an idempotent answer')
    return answered
  })
}

const namesIn = (path: string) => (path.match(/:\w+/g) ?? []).join()

function checkPath(route: ServedRoute, path: string): void {
  assert(path.startsWith('/') && path.endsWith('/'), `a path stands between slashes: ${path}`)
  // The canonical request is written with the route's own names.
  assert(namesIn(path) === namesIn(route.path), `an alias names its parts alike: ${path}`)
}

/** What anybody may send is a form: names, an address, a code. */
const form_bytes_max = 16_384

function bodyLimitOf({ upload, access, path }: ServedRoute): { bodyLimit?: number } {
  if (upload !== undefined) return { bodyLimit: upload.bytes_max }
  const isForm = access === 'public' || /^\/(admin\/)?auth\//.test(path)
  return isForm ? { bodyLimit: form_bytes_max } : {}
}

/**
 * What a browser reads comes compressed: over a slow network the day at a glance would take longer
 * than all else. Whoever has put text into an answer could learn from its length what else is in
 * it, so nothing secret may be: none is in what is read, and no other site can ask by cookie.
 * A program's calls are as they were: they are near, and cost a processor that payments need.
 */
const packs = ({ method }: ServedRoute, { by_cookie }: Facts): boolean =>
  by_cookie && method === 'GET'

/** Serves the route at its path and its aliases, each with or without the last slash. */
export function serveRoute(app: FastifyInstance, serving: Serving, route: ServedRoute): void {
  const prepared = prepareRoute(route)
  const own = takesTurns(route) ? serving : { ...serving, lists: undefined }
  const by_default: Envelope = route.envelope === 'raw' ? 'off' : serving.settings.envelope
  for (const path of [route.path, ...(route.aliases ?? [])]) {
    checkPath(route, path)
    app.route({
      method: route.method,
      url: api_prefix + path,
      // A HEAD of a file would have all of it made, and read into nothing.
      exposeHeadRoute: !answersFile(route),
      config: { upload_types: route.upload?.content_types ?? [] },
      ...bodyLimitOf(route),
      onRequest: (request, reply) => {
        const { settings } = serving
        const facts = factsOf(request, settings)
        const has_header = request.headers.authorization !== undefined
        if (takesTicket(route) && !has_header) facts.ticket = ticketIn(request.url)
        if (facts.ticket !== undefined) reply.headers(headersInOwnFrame)
        const reportIgnored = ignoredReporter(reply)
        reportIgnoredQuery(prepared, { request, facts, settings, reportIgnored })
        return admit(serving, route, request, reply)
      },
      handler: async (request, reply) => {
        const { settings } = serving
        const facts = factsOf(request, settings)
        const { preference } = facts
        const replied = await answer(own, prepared, request, reply)
        if ('json' in replied && replied.status >= 400) facts.refused = refusedInText(replied.json)
        if ('cookie' in replied && replied.cookie !== undefined) {
          assert(route.session_cookie !== undefined, `${route.path} says nothing of cookies`)
          reply.header('Set-Cookie', cookieText(settings, areaOf(route.path), replied.cookie))
        }
        const packer = packs(route, facts) ? (packerFor(request) ?? 'none') : undefined
        return sendReply(
          reply,
          { by_default, preference, ...(packer === undefined ? {} : { packer }) },
          replied,
        )
      },
    })
  }
}
