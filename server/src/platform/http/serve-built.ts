// Serves what was built for browsers: one page at every address below its own, and the files that
// it names. Law: a file's name changes with its content, so it is kept for ever; the page never is;
// its policy lets nothing in but its own files, and no text becomes a script (Trusted Types).

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'
import { html } from '../html.ts'
import { hasSessionCookie } from './browser-session.ts'
import { policy } from './built-policy.ts'
import { homeOf } from './dashboard-host.ts'
import { type HttpSettings, pickLocale } from './facts.ts'
import { api_prefix } from './input.ts'
import { encodingsOf } from './packed-text.ts'
import { transportErrors } from './transport-errors.ts'

/** What a folder holds that a build has written: `index.html` and, in `assets/`, its files. */
export type Built = Readonly<{ page: string; files: ReadonlyMap<string, Buffer> }>

/** Undefined: nothing was built there. */
export async function readBuilt(folder: string): Promise<Built | undefined> {
  const page = await readFile(path.join(folder, 'index.html'), 'utf8').catch(() => undefined)
  if (page === undefined) return undefined
  const assets = path.join(folder, 'assets')
  const names = await readdir(assets)
  const read = names.map(async (name) => [name, await readFile(path.join(assets, name))] as const)
  return { page, files: new Map(await Promise.all(read)) }
}

const content_types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** In a scope of its own; `at` is its address at the origin, without a slash at its end. */
export function serveBuilt(
  app: FastifyInstance,
  settings: HttpSettings,
  { built, at }: Readonly<{ built: Built; at: string }>,
): void {
  const place = new URL(homeOf(settings)).pathname.replace(/\/$/, '') + at
  const text = withApi(built.page.replaceAll('"./assets/', `"${place}/assets/`), settings)
  const pages = pagesOf(text)
  const [pageNow, fileNow] = [compressor(), compressor()]
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { name, page, etag } = pages(readerOf(request))
    reply.headers({
      'Content-Security-Policy': policy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      ETag: etag,
      Vary: 'Accept-Encoding, Accept-Language, Cookie',
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.type('text/html; charset=utf-8')
    return pageNow(request, reply, [name, page])
  }
  app.get(at, sendPage)
  app.get(`${at}/*`, sendPage)
  app.get<{ Params: { name: string } }>(`${at}/assets/:name`, async (request, reply) => {
    const { name } = request.params
    const file = built.files.get(name)
    if (file === undefined) throw refuse(transportErrors.not_found)
    reply.headers({ 'Cache-Control': 'public, max-age=31536000, immutable' })
    reply.headers({ Vary: 'Accept-Encoding' })
    reply.type(content_types[path.extname(name)] ?? 'application/octet-stream')
    return fileNow(request, reply, [name, file])
  })
}

/** From a host of its own the page cannot know which address programs call. */
function withApi(page: string, { public_url, dashboard_url }: HttpSettings): string {
  if (dashboard_url == null) return page
  const api = html`<meta name="api" content="${public_url.replace(/\/+$/, '') + api_prefix}">\n`
  return page.replace('</head>', () => `${api}</head>`)
}

function pageOf(name: string, text: string) {
  const page = Buffer.from(text)
  const etag = `"${createHash('sha256').update(page).digest('base64url').slice(0, 22)}"`
  return { name, page, etag }
}

/** What is known of a reader before anything of theirs runs: only what is worth loading ahead. */
type Reader = Readonly<{ for: 'member' | 'stranger'; language: string; at: 'home' | 'elsewhere' }>

/** That there is a cookie proves nothing; a language that was chosen here is not known here. */
function readerOf({ headers, url }: FastifyRequest): Reader {
  return {
    for: hasSessionCookie(headers) ? 'member' : 'stranger',
    language: pickLocale(headers['accept-language'], 'fr'),
    at: /^\/dashboard(\/[^/]+\/(test|live))?\/?$/.test(url.replace(/\?.*$/, ''))
      ? 'home'
      : 'elsewhere',
  }
}

/** For each reader the page without the lines that the build has marked as of another one. */
function pagesOf(text: string) {
  const made = new Map<string, ReturnType<typeof pageOf>>()
  return (reader: Reader) => {
    const name = Object.values(reader).join(' ')
    const isTheirs = (line: string) =>
      Object.entries(reader).every(([mark, value]) => {
        const [, wanted = value] = new RegExp(`data-${mark}="(\\w+)"`).exec(line) ?? []
        return wanted === value
      })
    const page = made.get(name) ?? pageOf(name, text.split('\n').filter(isTheirs).join('\n'))
    made.set(name, page)
    return page
  }
}

const by = { br: promisify(brotliCompress), gzip: promisify(gzip) }

type Named = readonly [name: string, content: Buffer]

/** Compresses each content once, as small as it gets: it does not change while we run. */
function compressor() {
  const compressed = new Map<string, Promise<Buffer>>()
  return async (request: FastifyRequest, reply: FastifyReply, [name, content]: Named) => {
    const accepted = encodingsOf(request.headers['accept-encoding'])
    const encoding = (['br', 'gzip'] as const).find((one) => accepted.has(one))
    if (encoding === undefined) return reply.send(content)
    const key = `${encoding} ${name}`
    const made = compressed.get(key) ?? by[encoding](content)
    compressed.set(key, made)
    return reply.header('Content-Encoding', encoding).send(await made)
  }
}
