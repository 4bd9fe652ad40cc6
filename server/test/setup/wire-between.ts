// A wire between an adapter and its operator: what passes is passed on to the byte, until a test
// spoils one answer. Law: what is spoiled is said to have reached the operator, or not.

import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Fault, Passed, WireBetween } from '../../src/gateways/conformance-bench.ts'
import { makeCertificate } from './certificate.ts'
import { type ServerTls, serveHttp, serveHttps } from './loopback.ts'

type Whole = Readonly<{ status: number; headers: Record<string, string>; body: Buffer }>

/** `operator_url`: without a slash at its end. */
export async function wireBetween(
  operator_url: string,
  certificate: ServerTls = makeCertificate('localhost'),
): Promise<WireBetween> {
  const passed: Passed[] = []
  let rule: ((call: Passed, nth: number) => Fault | undefined) | undefined
  let nth = 0
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const [method, path] = [request.method ?? '', request.url ?? '']
    const body = await buffer(request)
    passed.push({ method, path })
    const fault = rule?.({ method, path }, nth)
    nth += 1
    const { host: _, connection: __, ...headers } = request.headers
    const theirs =
      fault?.reaches === false
        ? undefined
        : await passOn(`${operator_url}${path}`, { method, headers, body })
    await fault?.after
    const answer = fault?.answer ?? 'theirs'
    if (answer === 'broken' || (answer === 'theirs' && theirs === undefined)) {
      response.destroy()
    } else if (answer === 'cut') {
      const whole = theirs?.body ?? Buffer.from('{}')
      response.writeHead(theirs?.status ?? 200, { ...theirs?.headers, 'content-length': '4096' })
      response.write(whole.subarray(0, Math.floor(whole.length / 2)))
      setTimeout(() => response.destroy(), 20)
    } else if (answer !== 'theirs') {
      response.writeHead(answer.status, answer.headers)
      response.end(answer.body)
    } else if (theirs !== undefined) {
      response.writeHead(theirs.status, theirs.headers)
      response.end(theirs.body)
    }
  }
  const server = await serveHttp(listener)
  const tls = await serveHttps(certificate, listener)
  return {
    operator_url,
    url: server.url,
    tls_url: `https://localhost:${tls.port}`,
    passed,
    spoils(next) {
      rule = next
      nth = 0
    },
    async close() {
      await server.close()
      await tls.close()
    },
  }
}

/** Undefined where the operator itself breaks the connection. */
function passOn(
  url: string,
  sent: Readonly<{ method: string; headers: NodeJS.Dict<string | string[]>; body: Buffer }>,
): Promise<Whole | undefined> {
  return new Promise((resolve) => {
    const { method, headers } = sent
    const call = requestHttp(url, { method, headers, agent: false }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('error', () => resolve(undefined))
      reply.on('end', () => {
        const { connection: _, 'transfer-encoding': __, ...kept } = reply.headers
        const flat = Object.entries(kept).map(([name, value]) => [name, String(value)])
        const status = reply.statusCode ?? 0
        resolve({ status, headers: Object.fromEntries(flat), body: Buffer.concat(parts) })
      })
    })
    call.on('error', () => resolve(undefined))
    call.end(sent.body)
  })
}
