// What is refused before a body is understood: who calls, how, and with what bytes (contract 1.2,
// 1.3, 1.7, 3.1, 3.2, 3.5, 4.1).

import { softpay } from '../harness.ts'
import { malformed, notFound, type Refused, type Row, refused, softpayPath, wrong } from './row.ts'
import type { Who } from './world.ts'

const json = { 'content-type': 'application/json' }
const right = JSON.stringify(softpay())

const bytes = (name: string, raw: string | Uint8Array<ArrayBuffer>, refusal: Refused): Row => ({
  name: `a body of ${name}`,
  path: softpayPath,
  headers: json,
  raw,
  refused: refusal,
})

const required = wrong('amount', 'currency', 'country', 'network', 'customer')
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const bodies: Row[] = [
  bytes('an open brace', '{', malformed),
  bytes('JSON with a comma at its end', right.replace(/\}$/, ',}'), malformed),
  bytes('JSON in single quotes', right.replaceAll('"', "'"), malformed),
  bytes('JSON with a comment', `/* pay */${right}`, malformed),
  bytes('NaN', right.replace('"5000"', 'NaN'), malformed),
  bytes('a number with a leading zero', right.replace('"5000"', '05000'), malformed),
  bytes('two JSON texts', `${right}${right}`, malformed),
  bytes('undefined', 'undefined', malformed),
  bytes('a form', 'amount=5000&currency=XOF', malformed),
  bytes('a raw NUL', right.replace('Awa', 'A\u0000wa'), malformed),
  bytes('a byte order mark inside', right.replace('{', '{\ufeff'), malformed),
  bytes('two byte order marks', `\ufeff\ufeff${right}`, malformed),
  bytes('UTF-16', new Uint8Array(Buffer.from(right, 'utf16le')), malformed),
  bytes('ISO 8859-1', new Uint8Array(Buffer.from(right.replace('Awa', 'Aé'), 'latin1')), malformed),
  bytes('100 000 open brackets', '['.repeat(100_000), malformed),
  bytes('a list nested 50 000 deep', deep(50_000), wrong('body')),
  bytes(
    'metadata nested 5 000 deep',
    right.replace(/\}$/, `,"metadata":{"a":${deep(5_000)}}}`),
    wrong('metadata'),
  ),
  ...[`[${right}]`, '"x"', '5', 'true', 'false'].map((raw) =>
    bytes(raw.slice(0, 12), raw, wrong('body')),
  ),
  bytes('null', 'null', required),
  // What PHP makes of an object without fields (contract 8.6).
  bytes('[]', '[]', required),
  bytes('nothing', '', required),
  {
    name: 'no body and no content type',
    method: 'POST',
    path: softpayPath,
    refused: required,
  },
  bytes('one byte more than 1 MB', right.padEnd(1_048_577, ' '), refused(413, 'payload_too_large')),
  bytes(
    '2 MB of metadata',
    JSON.stringify(softpay({ metadata: { a: 'x'.repeat(2_000_000) } })),
    refused(413, 'payload_too_large'),
  ),
]

const contentTypes: Row[] = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonp',
  'application/json-patch+json',
  'application/octet-stream',
  'nonsense',
  '',
].map((type) => ({
  name: `a body of the content type "${type}"`,
  path: softpayPath,
  headers: { 'content-type': type },
  raw: right,
  refused: refused(415, 'unsupported_media_type'),
}))

const ways = (
  [
    ['PUT', '/transactions/', 'GET, HEAD'],
    ['POST', '/transactions/', 'GET, HEAD'],
    ['DELETE', '/transactions/{paid}/', 'GET, HEAD'],
    ['PATCH', '/transactions/{paid}', 'GET, HEAD'],
    ['OPTIONS', '/transactions/', 'GET, HEAD'],
    ['GET', softpayPath, 'POST'],
    ['GET', '/payments/softpay', 'POST'],
    ['POST', '/payments/{paid}/verify/', 'GET, HEAD'],
    ['GET', '/payments/{paid}/retry/', 'POST'],
    ['POST', '/countries/', 'GET, HEAD'],
    ['PUT', '/merchant-webhooks/', 'GET, HEAD, POST'],
    ['PUT', '/merchant-webhooks/{webhook}/', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ] as const
).map(([method, path, allow]) => ({
  name: `${method} ${path}`,
  method,
  path,
  refused: { ...refused(405, 'method_not_allowed'), allow },
}))

const addresses: Row[] = [
  '/',
  '/nothing/',
  '/transactions/{paid}/nothing/',
  '/payments/',
  '/payments/{paid}/',
  '/countries/%00/',
  '/countries/%E0%A4%A/',
  `/countries/${'x'.repeat(300)}/`,
  '//transactions/',
  '/Transactions/',
  '/transactions.json',
  '/../v2/transactions/',
].map((path) => ({ name: `the address ${path.slice(0, 40)}`, path, refused: notFound }))

const credentials: Row[] = (
  [
    ['no credential', {}, 'not_authenticated'],
    ['an empty Authorization', { authorization: '' }, 'not_authenticated'],
    ['Bearer alone', { authorization: 'Bearer' }, 'not_authenticated'],
    ['Basic', { authorization: 'Basic c2s6eA==' }, 'invalid_api_key'],
    ['a word', { authorization: 'Bearer x' }, 'invalid_api_key'],
    ['two words', { authorization: 'Bearer x y' }, 'invalid_api_key'],
    ['a key cut short', { authorization: `Bearer sk_test_${'a'.repeat(42)}` }, 'invalid_api_key'],
    ['a key too long', { authorization: `Bearer sk_test_${'a'.repeat(44)}` }, 'invalid_api_key'],
    ['a foreign prefix', { authorization: `Bearer pk_test_${'a'.repeat(43)}` }, 'invalid_api_key'],
    ['quotes', { authorization: `Bearer sk_test_${"'".repeat(43)}` }, 'invalid_api_key'],
    ['an unknown key', { authorization: `Bearer sk_test_${'a'.repeat(43)}` }, 'invalid_api_key'],
    ['an endless key', { authorization: `Bearer ${'a'.repeat(8000)}` }, 'invalid_api_key'],
  ] as const
).flatMap(([name, headers, code]) => [
  { name, as: 'nobody', path: '/transactions/', headers, refused: refused(401, code) },
  {
    name: `${name}, however wrong the body`,
    as: 'nobody',
    path: softpayPath,
    headers,
    body: {},
    refused: refused(401, code),
  },
])

const known: Row[] = (
  [
    ['revoked', 401, 'revoked_api_key'],
    ['expired', 401, 'expired_api_key'],
    ['unapproved', 403, 'live_mode_not_enabled'],
  ] as const
).flatMap(([as, status, code]) => [
  { name: `GET, ${as}`, as, path: '/transactions/', refused: refused(status, code) },
  { name: `POST, ${as}`, as, path: softpayPath, body: {}, refused: refused(status, code) },
])

const access: Row[] = [
  {
    name: 'my-rates without a credential',
    as: 'nobody',
    path: '/pricing/my-rates/',
    refused: refused(401, 'not_authenticated'),
  },
  ...known,
]

const scoped = (as: Who, code: string): Row[] =>
  [
    softpayPath,
    '/payments/softpay/',
    '/payments/{pending}/retry/',
    '/payments/{pending}/confirm-otp/',
  ].map((path) => ({ name: `${path}, ${as}`, as, path, body: {}, refused: refused(403, code) }))

const walls: Row[] = [
  ...scoped('payout', 'api_key_scope_forbidden'),
  {
    name: 'verify with a key for payouts',
    as: 'payout',
    path: '/payments/{pending}/verify/',
    refused: refused(403, 'api_key_scope_forbidden'),
  },
  ...scoped('suspended', 'merchant_suspended'),
  ...['/merchant-webhooks/', '/sandbox/balances/'].map((path) => ({
    name: `${path}, suspended`,
    as: 'suspended' as const,
    path,
    body: {},
    refused: refused(403, 'merchant_suspended'),
  })),
]

const keys: Row[] = [
  ['empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
].flatMap(([name = '', key = '']) =>
  [softpayPath, '/payments/softpay', '/payments/{failed}/retry/', '/payments/{coded}/confirm-otp/']
    .map((path) => ({ path, body: path.includes('otp') ? { otp: '000000' } : softpay() }))
    .map(({ path, body }) => ({
      name: `an Idempotency-Key ${name} at ${path}`,
      path,
      headers: { 'idempotency-key': key },
      body,
      refused: wrong('Idempotency-Key'),
    })),
)

export const transportRows: Row[] = [
  ...bodies,
  ...contentTypes,
  ...ways,
  ...addresses,
  ...credentials,
  ...access,
  ...walls,
  ...keys,
]
