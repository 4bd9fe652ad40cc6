// What may be wrong above the body: path, query, headers, and what they say of the body's length.

import { hostileTexts } from './hostile-values.ts'
import type { Random } from './random.ts'
import type { Framing } from './request.ts'

type Header = readonly [string, string]

const segment = (random: Random) => encodeURIComponent(wellFormed(random.pick(hostileTexts)))
const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')

type PathChange = readonly [string, (path: string, random: Random) => string]

const pathChanges: readonly PathChange[] = [
  ['no last slash', (path) => path.replace(/\/$/, '')],
  ['two last slashes', (path) => `${path}/`],
  ['double slashes', (path) => path.replaceAll('/', '//')],
  ['dots', (path) => `${path}../../../etc/passwd`],
  ['encoded dots', (path) => path.replace(/\/([^/]*)\/$/, '/%2e%2e/$1/')],
  ['encoded slash', (path) => path.replace(/\/([^/]*)\/$/, '%2f$1%2F')],
  ['NUL', (path) => `${path}%00`],
  ['half an escape', (path) => `${path}%`],
  ['no UTF-8', (path) => `${path}%C0%AF%FF`],
  ['a lone surrogate', (path) => `${path}%ED%A0%80/`],
  ['long', (path) => `${path}${'a'.repeat(300)}/`],
  ['very long', (path) => `${path}${'a/'.repeat(6_000)}`],
  ['upper case', (path) => path.toUpperCase()],
  ['a matrix', (path) => path.replace(/\/$/, ';a=b/')],
  ['backslashes', (path) => path.replaceAll('/', '\\')],
  ['a fragment', (path) => `${path}#top`],
  ['all escaped', (path) => path.replace(/[a-z]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)],
  ['a whole address', (path) => `http://evil.invalid${path}`],
  ['a star', () => '*'],
  ['no slash', (path) => path.slice(1)],
  ['a space', (path) => path.replace('/v1/', '/v 1/')],
  ['bare UTF-8', (path) => `${path}été`],
  ['a hostile part', (path, random) => `${path}${segment(random)}/`],
  ['part replaced', (path, random) => path.replace(/[^/]+(?=\/$)/, segment(random))],
  ['an id replaced', (path, random) => path.replace(/~[a-z_]+~/, segment(random))],
  ['an id replaced', (path, random) => path.replace(/~[a-z_]+~/, segment(random))],
]

export function mutatePath(random: Random, path: string): { path: string; label: string } {
  const [label, change] = random.pick(pathChanges)
  return { path: change(path, random), label: `path: ${label}` }
}

const known = [
  ...['cursor', 'page', 'page_size', 'ordering', 'status', 'country', 'currency', 'network'],
  ...['merchant', 'customer', 'transaction', 'created_at__gte', 'created_at__lte', 'search'],
  ...['from', 'to', 'amount', 'merchant_reference', '__proto__', 'constructor', 'a[b]', ''],
] as const

const values = [
  ...['0', '-1', '1', '200', '201', '99999999999999999999', '1e9', '1.5', 'NaN', '2026-02-30'],
  ...[
    '2026-01-01T00:00:00 01:00',
    '0001-01-01',
    '9999-12-31T23:59:59.999999Z',
    '~cursor~',
    '~cursor~x',
  ],
  ...[
    '~payment~',
    '-created_at',
    'id,id,id',
    'created_at;drop',
    '%',
    '%00',
    '%ED%A0%80',
    '%FF',
    '+',
    '_',
  ],
] as const

/** One parameter more, or one twice, or with a value that does not fit. */
export function mutateQuery(random: Random, query: readonly string[], names: readonly string[]) {
  const name = (random.chance(0.7) ? random.pickAny(names) : undefined) ?? random.pick(known)
  const value = random.chance(0.6) ? random.pick(values) : segment(random)
  const added = random.chance(0.1) ? `${name}[]=${value}` : `${name}=${value}`
  const kind = random.next()
  if (kind < 0.75) return { query: [...query, added], label: `query: ${name}` }
  if (kind < 0.85) return { query: [...query, added, `${name}=1`], label: `query: ${name} twice` }
  if (kind < 0.92) return { query: [...query, name, '&&=', '?'], label: 'query: broken' }
  const many = Array.from({ length: 1_500 }, (_, at) => `p${at}=1`)
  return { query: [...query, ...many], label: 'query: many' }
}

const types = [
  ...['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'application/jsonp', ''],
  ...['application/json; charset=utf-16', 'APPLICATION/JSON', 'application/json;', 'x', '*/*'],
  ...['application/json, text/plain', 'application/x-www-form-urlencoded', 'application/json; a="'],
] as const

const languages = [
  ...['fr', 'en;q=0.1, fr;q=0.9', '*', 'fr;q=x', ',,,;;;', 'tlh', 'fr;q=1e999', '-'],
  'fr,'.repeat(1_500),
] as const

const forwarded = [
  ...['127.0.0.1', '::1', 'unknown', '1.2.3.4, 5.6.7.8', '[::1]:99', '%00', ',,,', '999.1.1.1'],
  ...["1.2.3.4' or 1=1", '1.1.1.1,'.repeat(800)],
] as const

const keys = [
  ...['', 'k', 'k'.repeat(255), 'k'.repeat(256), 'é', '🛶', '\t', 'a b', "'", '%00', '\0', 'k, k'],
] as const

const credentials = [
  ...['', 'Bearer', 'Bearer ', 'Bearer  ~key_both~', 'bearer ~key_both~', 'Basic eDp5', 'Bearer ~'],
  ...['~key_both~', 'Bearer ~key_both~ x', 'Bearer sk_test_', `Bearer sk_test_${'A'.repeat(43)}`],
  ...[
    `Bearer ${'x'.repeat(9_000)}`,
    'Bearer \0',
    'Bearer é',
    'Negotiate ~key_both~',
    'Bearer ~key_both~\r\n x',
  ],
] as const

type HeaderChange = (random: Random) => readonly Header[]

const headerChanges: readonly HeaderChange[] = [
  (random) => [['Authorization', random.pick(credentials)]],
  (random) => [['Authorization', random.pick(credentials)]],
  (random) => [['Content-Type', random.pick(types)]],
  (random) => [['Accept-Language', random.pick(languages)]],
  (random) => [['X-Forwarded-For', random.pick(forwarded)]],
  (random) => [['Idempotency-Key', random.pick(keys)]],
  (random) => [
    ['Idempotency-Key', 'one'],
    ['Idempotency-Key', random.pick(keys)],
  ],
  (random) => [
    ['Prefer', random.pick(['envelope=off', 'envelope=on', 'envelope=off, envelope=on', '='])],
  ],
  (random) => [['Prefer', random.pick(['respond-async', 'envelope="off"; x', 'envelope', ','])]],
  (random) => [['X-Request-Id', random.pick(['ok-1', 'a b', 'é', '', 'x'.repeat(129), '<b>'])]],
  (random) => [['Accept', random.pick(['text/html', 'application/xml', '*/*;q=0', 'x'])]],
  (random) => [['Accept-Encoding', random.pick(['gzip', 'br', 'identity;q=0', '*'])]],
  (random) => [['Content-Encoding', random.pick(['gzip', 'deflate', 'br', 'x'])]],
  (random) => [['Expect', random.pick(['100-continue', 'gifts'])]],
  () => [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ],
  (random) => [['Connection', random.pick(['close', 'keep-alive', 'authorization', 'x, y, z'])]],
  (random) => [['X-HTTP-Method-Override', random.pick(['DELETE', 'PATCH', '__proto__'])]],
  (random) => [['Host', random.pick(['evil.invalid', '', 'a b', '[::1', 'x'.repeat(3_000)])]],
  (random) => [['Cookie', `session=${random.pick(['x', '__proto__', ';;;', '"'.repeat(900)])}`]],
  (random) => [[random.pick(['__proto__', 'constructor', 'x', 'a b', 'é', '']), 'v']],
  (random) => [['X-Hostile', random.pick(hostileTexts)]],
  (random) => [['Range', random.pick(['bytes=0-', 'bytes=9-1', 'x'])]],
  (random) => [['If-None-Match', random.pick(['*', '"x"', 'x'])]],
  (random) => [['Origin', random.pick(['null', 'https://evil.invalid', ''])]],
  () => Array.from({ length: 300 }, (_, at) => [`X-${at}`, 'v'] as const),
  () => [['X-Long', 'v'.repeat(17_000)]],
]

/** Headers put in place of those of the same name. */
export function mutateHeaders(random: Random, headers: readonly Header[]) {
  const added = random.pick(headerChanges)(random)
  const names = new Set(added.map(([name]) => name.toLowerCase()))
  const kept = headers.filter(([name]) => !names.has(name.toLowerCase()) || random.chance(0.15))
  const label = `header: ${[...new Set(added.map(([name]) => name))].slice(0, 3).join(', ')}`
  return { headers: [...kept, ...added], label }
}

const lies = [
  '0',
  '1',
  '-1',
  '99999999999999999999',
  '2000000',
  '1e3',
  '0x10',
  ' 5',
  '5, 5',
  '',
] as const

/** How the body's length is declared; a lie one time in four. */
export function mutateFraming(random: Random): Framing {
  const kind = random.next()
  if (kind < 0.6) return { is: 'chunked', size: 1 + random.below(64) }
  if (kind < 0.75) return { is: 'none' }
  return { is: 'said', length: random.pick(lies) }
}
