// Serves pages at their addresses: forms are read, the language chosen, the answer compressed. A
// page keeps nothing: no cache, and no cookie that grants a right.

import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, refuse } from '../errors.ts'
import { describeError } from '../log.ts'
import { answerError } from './errors.ts'
import { factsOf, type HttpSettings } from './facts.ts'
import { isStorable } from './json-body.ts'
import { pack, packerFor } from './packed-text.ts'
import type { Cookie, PageInput, PageReply, PageRoute, Pages } from './page-route.ts'
import { transportErrors } from './transport-errors.ts'

const form_type = 'application/x-www-form-urlencoded'
const form_bytes_max = 16_384
const locale_cookie = 'lang'
const cookie_age_s = 180 * 24 * 3600

/** In a scope of its own: bodies are forms here. */
export function servePages(app: FastifyInstance, settings: HttpSettings, pages: Pages): void {
  const closing = new AbortController()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(form_type, { parseAs: 'string' }, async (_: unknown, body: string) =>
    fieldsOf(body),
  )
  // Runs before the server waits for requests in flight: streams would keep it waiting.
  app.addHook('preClose', async () => closing.abort())
  const carry = carrier(settings, closing.signal)
  app.setErrorHandler(async (error, request, reply) => {
    const input = inputOf(request, settings)
    if (error instanceof Refusal) request.log.info({ refused: error.message }, 'refused')
    else if (answerError(error, input.locale).bug) request.log.error(describeError(error), 'bug')
    return carry(request, reply, pages.failed(error, input))
  })
  for (const route of pages.routes) servePage(app, route, { settings, carry })
}

type Carry = (request: FastifyRequest, reply: FastifyReply, answer: PageReply) => Promise<unknown>

function servePage(
  app: FastifyInstance,
  route: PageRoute,
  { settings, carry }: Readonly<{ settings: HttpSettings; carry: Carry }>,
): void {
  app.route({
    method: route.method,
    url: route.path,
    bodyLimit: form_bytes_max,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const input = inputOf(request, settings)
      if (!Object.values(input.params).every(isStorable)) throw refuse(transportErrors.not_found)
      return carry(request, reply, await route.handler(input))
    },
  })
}

/** Control characters, which PostgreSQL cannot all keep and no field has, become spaces. */
function fieldsOf(text: string): Record<string, string> {
  const fields = [...new URLSearchParams(text)]
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value.replace(/\p{Cc}/gu, ' ').trim()]),
  )
}

function inputOf(request: FastifyRequest, settings: HttpSettings): PageInput {
  const { ip, request_id, locale } = factsOf(request, settings)
  const [, search = ''] = request.url.split('?')
  const query = fieldsOf(search)
  const cookies = cookiesOf(request.headers.cookie ?? '', settings)
  const requested = [query[locale_cookie], cookies[locale_cookie]]
  return {
    // The router makes an object of decoded strings, the parser one of fields.
    params: request.params as Record<string, string>,
    query,
    form: (request.body ?? {}) as Record<string, string>,
    cookies,
    locale: requested.find((one) => one === 'fr' || one === 'en') ?? locale,
    ip,
    is_machine: isMachine(request.headers),
    request_id,
  }
}

/** By what they call themselves; Cubot makes telephones. */
const machines =
  /(?<!cu)bot|crawl|spider|facebookexternalhit|^whatsapp\/|^(curl|wget|python|go-http)/i

function isMachine(headers: FastifyRequest['headers']): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-moz']].flat()
  if (purposes.some((purpose) => purpose?.includes('prefetch'))) return true
  return machines.test(headers['user-agent'] ?? 'bot')
}

const isSecure = ({ public_url }: Pick<HttpSettings, 'public_url'>) =>
  public_url.startsWith('https:')

/** Set by our own host and over https only, so neither by a subdomain nor on the way. */
const secure_prefix = '__Host-'

/**
 * By the names that pages know. Over https a cookie without the prefix is not ours, and not read.
 */
function cookiesOf(header: string, settings: HttpSettings): Record<string, string> {
  const prefix = isSecure(settings) ? secure_prefix : ''
  const pairs = header.split(';').map((pair) => pair.trim().split('='))
  const ours = pairs.filter(([name = '']) => name.startsWith(prefix))
  return Object.fromEntries(
    ours.map(([name = '', value = '']) => [name.slice(prefix.length), value]),
  )
}

const carrier =
  (settings: HttpSettings, closing: AbortSignal): Carry =>
  async (request, reply, answer) => {
    const input = inputOf(request, settings)
    for (const cookie of cookiesToSet(answer, input)) {
      reply.header('Set-Cookie', written(cookie, settings))
    }
    if (answer.is === 'see') return reply.code(303).header('Location', answer.location).send()
    if (answer.is === 'events') return sendEvents(reply, answer.events, closing)
    reply.code(answer.status)
    reply.headers({
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': input.locale,
      'Content-Security-Policy': answer.policy,
      Vary: 'Accept-Encoding, Accept-Language, Cookie',
      ...answer.headers,
    })
    return sendCompressed(request, reply, answer.page.toString())
  }

/** The language that was chosen by its switch is kept. */
function cookiesToSet(answer: PageReply, { query }: PageInput): Cookie[] {
  const own = 'cookies' in answer ? (answer.cookies ?? []) : []
  const requested = query[locale_cookie]
  if (requested !== 'fr' && requested !== 'en') return [...own]
  return [...own, { name: locale_cookie, value: requested, path: '/' }]
}

function written({ name, value, path }: Cookie, settings: HttpSettings): string {
  const kept = `Max-Age=${cookie_age_s}; HttpOnly; SameSite=Lax`
  const pair = `${name}=${encodeURIComponent(value)}`
  // A name with the prefix covers the whole origin: no browser takes it with another path.
  if (isSecure(settings)) return `${secure_prefix}${pair}; Path=/; ${kept}; Secure`
  return `${pair}; Path=${path}; ${kept}`
}

async function sendCompressed(request: FastifyRequest, reply: FastifyReply, text: string) {
  const packer = packerFor(request)
  if (packer === undefined) return reply.send(text)
  return reply.header('Content-Encoding', packer).send(await pack(text, packer))
}

type Events = (signal: AbortSignal) => AsyncIterable<string>

function sendEvents(reply: FastifyReply, events: Events, closing: AbortSignal) {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const stream = Readable.from(events(AbortSignal.any([closing, gone.signal])), {
    objectMode: false,
  })
  return reply
    .headers({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
    .send(stream)
}
