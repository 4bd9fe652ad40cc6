// Bytes that are no HTTP, or hardly: what a scanner, a broken proxy or a smuggler sends.

import { hostileTexts } from './hostile-values.ts'
import type { Made } from './make-origin-request.ts'
import type { Random } from './random.ts'

const host = 'Host: ~host~'
const key = 'Authorization: Bearer ~key_both~'
const json = 'Content-Type: application/json'
const chunked = 'Transfer-Encoding: chunked'
const list = '/api/v1/transactions/'
const pay = 'POST /api/v1/payments/softpay/initialize/ HTTP/1.1'

const message = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`

const whole: readonly string[] = [
  message('garbage'),
  message(''),
  '\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\0'.repeat(200),
  message(`GET ${list}`),
  message(`GET ${list} HTTP/0.9`),
  message(`GET ${list} HTTP/1.0`),
  message(`GET ${list} HTTP/1.0`, host, key, 'Connection: keep-alive'),
  message(`GET ${list} HTTP/1.2`, host, key),
  message(`GET ${list} HTTP/9.9`, host, key),
  message(`GET ${list} HTTP/1.1`, key),
  message(`GET ${list} HTTP/1.1`, host, host, key),
  message(`GET ${list} HTTP/1.1`, 'Host: a', 'Host: b', key),
  message(`GET ${list} HTTP/1.1`, host, key, key),
  message(`get ${list} HTTP/1.1`, host, key),
  message(`QUERY ${list} HTTP/1.1`, host, key),
  message(`FOO ${list} HTTP/1.1`, host, key),
  message('CONNECT 127.0.0.1:9 HTTP/1.1', host),
  message('OPTIONS * HTTP/1.1', host),
  message(`GET  ${list} HTTP/1.1`, host, key),
  message(`GET ${list}\tHTTP/1.1`, host, key),
  message(`GET ${list} HTTP/1.1`, `${host} `, ' folded: yes', key),
  message(`GET ${list} HTTP/1.1`, host, 'No colon here', key),
  message(`GET ${list} HTTP/1.1`, host, 'X : spaced', key),
  message(`GET ${list} HTTP/1.1`, host, 'X-\x01: y', key),
  message(`GET ${list} HTTP/1.1`, host, ...Array.from({ length: 1_900 }, (_, at) => `X${at}: 1`)),
  message(`GET ${list}?${'a=b&'.repeat(5_000)} HTTP/1.1`, host, key),
  message(`GET /${'a'.repeat(70_000)} HTTP/1.1`, host, key),
  message(`GET ${list} HTTP/1.1`, host, key, `X: ${'a'.repeat(70_000)}`),
  `GET ${list} HTTP/1.1\n${host}\n${key}\n\n`,
  `GET ${list} HTTP/1.1\r${host}\r\r`,
  `${message(pay, host, key, json, 'Content-Length: 10', 'Content-Length: 20')}{"a":1}   `,
  `${message(pay, host, key, json, 'Content-Length: 4', chunked)}0\r\n\r\n`,
  `${message(pay, host, key, json, 'Transfer-Encoding: chunked, identity')}0\r\n\r\n`,
  `${message(pay, host, key, json, 'Transfer-Encoding: gzip')}x`,
  `${message(pay, host, key, json, 'Transfer-Encoding:\x0bchunked')}0\r\n\r\n`,
  `${message(pay, host, key, json, chunked)}zz\r\n`,
  `${message(pay, host, key, json, chunked)}ffffffffffffffffff\r\nx`,
  `${message(pay, host, key, json, chunked)}2;a=${'b'.repeat(40_000)}\r\n{}`,
  `${message(pay, host, key, json, chunked)}2\r\n{}\r\n0\r\nX-Injected: 1\r\n\r\n`,
  `${message(pay, host, key, json, 'Content-Length: 100')}{"amount":`,
  `${message(pay, host, key, json, 'Content-Length: 2')}{}GET ${list} HTTP/1.1\r\n\r\n`,
  `${message(pay, host, key, json, 'Content-Length: 0')}{"amount":"1"}`,
  message(pay, host, key, json, 'Expect: 100-continue', 'Content-Length: 2'),
  message(pay, host, json, 'Content-Length: 900000000'),
  message(`GET ${list} HTTP/1.1`, host, key, 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings'),
  message(`GET ${list} HTTP/1.1`, host, key, 'Connection: Upgrade', 'Upgrade: websocket'),
  `GET ${list} HTTP/1.1\r\n${host}`,
  `GET ${list} HTT`,
  Array.from({ length: 20 }, () => message('GET /healthz HTTP/1.1', host)).join(''),
]

/** One of the above as it stands, or with some bytes spoiled or the end cut off. */
export function makeRaw(random: Random): Made {
  const raw = random.pick(whole)
  const kind = random.next()
  const made = { label: 'bytes', method: 'RAW', target: '', headers: [], body: undefined } as const
  const framing = { is: 'none' } as const
  if (kind < 0.6) return { ...made, framing, raw }
  if (kind < 0.7) return { ...made, framing, raw: raw.slice(0, random.below(raw.length)) }
  const at = random.below(Math.min(raw.length, 400))
  const spoiled =
    kind < 0.85
      ? String.fromCharCode(random.below(256))
      : Buffer.from(random.pick(hostileTexts).slice(0, 300)).toString('latin1')
  return { ...made, framing, raw: raw.slice(0, at) + spoiled + raw.slice(at + 1) }
}
