// Requests that no client library would send: bytes on a socket, and the answer read from it.

import { connect } from 'node:net'

export type RawAnswer = Readonly<{ status: number; head: string; body: unknown }>

/** Sends the bytes and reads one answer, whose connection the server closes. */
export function sendRaw(port: number, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      answer += part
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n')
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? []
      const isJson = /content-type: application\/json/i.test(head) && body !== ''
      resolve({ status: Number(status), head, body: isJson ? JSON.parse(body) : body })
    })
    socket.write(text)
  })
}

const to = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n')

const countries = '/api/v1/countries/'
const host = 'Host: shop.example'
const json = 'Content-Type: application/json'
const pay = 'POST /api/v1/payments/softpay/'

/** What is sent, the status, and the code of the error (none: it is a right request). */
export const rawRows: readonly (readonly [string, string, number, string | undefined])[] = [
  ['the whole address', to(`GET http://evil.example${countries}`, host), 200, undefined],
  ['a whole address that is unknown', to('GET http://evil.example', host), 404, 'not_found'],
  ['a wrong method at one', to(`PUT http://x.y${countries}`, host), 405, 'method_not_allowed'],
  ['an odd expectation', to(`GET ${countries}`, host, 'Expect: gifts'), 200, undefined],
  ['no Host', to(`GET ${countries}`), 400, 'bad_request'],
  ['an unknown method', to(`FOO ${countries}`, host), 400, 'bad_request'],
  ['a known method', to(`PROPFIND ${countries}`, host), 405, 'method_not_allowed'],
  ['no HTTP at all', 'garbage\r\n\r\n', 400, 'bad_request'],
  [
    'headers of 20 KB',
    to(`GET ${countries}`, host, `X-A: ${'a'.repeat(20_000)}`),
    431,
    'headers_too_large',
  ],
  ['a length that is no number', to(pay, host, json, 'Content-Length: x'), 400, 'bad_request'],
  [
    'two lengths that contradict',
    to(pay, host, json, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    400,
    'bad_request',
  ],
  [
    'a huge body of nobody',
    to(pay, host, json, 'Content-Length: 9000000'),
    401,
    'not_authenticated',
  ],
]
