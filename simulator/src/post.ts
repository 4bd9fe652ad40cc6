// The way out: one POST over kept connections, answered with "taken" or "not taken", never thrown.

import { Agent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as SecureAgent } from 'node:https'

export type PostRequest = Readonly<{ url: string; body: string; headers: Record<string, string> }>

export type Poster = Readonly<{
  /** True when the other side answered 2xx. Redirects are not followed. */
  post(request: PostRequest): Promise<boolean>
  close(): void
}>

const answer_timeout_ms = 10_000
const connections = { keepAlive: true, maxSockets: 128, timeout: 60_000 }

export function createPoster(): Poster {
  const plain = new Agent(connections)
  const secure = new SecureAgent(connections)

  const send = (request: PostRequest, may_resend: boolean): Promise<boolean> =>
    new Promise((resolve) => {
      const url = new URL(request.url)
      const isSecure = url.protocol === 'https:'
      const options: RequestOptions = {
        method: 'POST',
        agent: isSecure ? secure : plain,
        headers: { ...request.headers, 'content-length': Buffer.byteLength(request.body) },
      }
      const answered = (reply: IncomingMessage): void => {
        const code = reply.statusCode ?? 0
        reply.resume()
        reply.on('close', () => resolve(code >= 200 && code < 300))
      }
      const req = isSecure
        ? requestHttps(url, options, answered)
        : requestHttp(url, options, answered)
      let timed_out = false
      const timer = setTimeout(() => {
        timed_out = true
        req.destroy()
      }, answer_timeout_ms)
      req.on('close', () => clearTimeout(timer))
      req.on('error', (error: NodeJS.ErrnoException) => {
        // The other side may close an idle connection just as we use it: that is no try at all.
        const stale = req.reusedSocket && error.code === 'ECONNRESET' && !timed_out
        resolve(stale && may_resend ? send(request, false) : false)
      })
      req.end(request.body)
    })

  return {
    post: (request) => send(request, true),
    close: () => {
      plain.destroy()
      secure.destroy()
    },
  }
}
