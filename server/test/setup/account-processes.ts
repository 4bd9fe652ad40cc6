// Programs that share an operator's account, as processes that a test can kill, and a wire before
// the operator that notes what comes, and when it left whoever sent it.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { leftAtHeader, type Opening, type Order, type Told } from './account-program.ts'
import { serveHttp } from './loopback.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

export type AccountProcess = Readonly<{
  /** Answers when it has done that. Fails when it ends before. */
  tell(order: Order): Promise<Told>
  /** SIGKILL: nothing is given back. */
  kill(): Promise<void>
}>

type Reply = Readonly<{ no: number; told?: Told; failed?: string }>

export async function startAccountProcess(opening: Opening): Promise<AccountProcess> {
  const child = fork(fileOf('./account-program.ts'), {
    execArgv: ['--import', fileOf('./read-built.mjs')],
  })
  const waiting = new Map<number, { done(told: Told): void; fail(error: Error): void }>()
  let orders = 0
  child.on('message', ({ no, told, failed }: Reply) => {
    const one = waiting.get(no)
    waiting.delete(no)
    if (failed !== undefined) one?.fail(new Error(failed))
    else one?.done(told ?? {})
  })
  child.on('exit', () => {
    for (const { fail } of waiting.values()) fail(new Error('it has ended'))
  })
  const tell = (order: Order): Promise<Told> =>
    new Promise((done, fail) => {
      orders += 1
      waiting.set(orders, { done, fail })
      child.send({ no: orders, order })
    })
  await tell({ do: 'open', with: opening })
  return { tell, kill: () => kill(child) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** One call as it came to the operator. */
export type Seen = Readonly<{
  method: string
  path: string
  /** Of a call with a token. */
  bearer: string
  /** When it left its sender; milliseconds, the same clock for all. */
  left_at: number
}>

export type NotingWire = Readonly<{
  url: string
  seen: Seen[]
  /** Told of each call before it is passed on, and waited for. */
  onCall(listener: (call: Seen) => Promise<void> | void): void
  /** Of each answer to a call for a token: the token. */
  onToken(listener: (token: string) => void): void
  close(): Promise<void>
}>

export async function notingWire(operator_url: string): Promise<NotingWire> {
  const seen: Seen[] = []
  let told: (call: Seen) => Promise<void> | void = () => undefined
  let issued: (token: string) => void = () => undefined
  const server = await serveHttp(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? ''
    const call = { method, path, bearer, left_at: Number(headers[leftAtHeader]) }
    const body = await buffer(request)
    seen.push(call)
    await told(call)
    const { connection: _, ...kept } = headers
    // A connection of its own for each call: one that is kept may end as the next call begins.
    const options = { method, headers: kept, agent: false }
    const onward = requestHttp(`${operator_url}${path}`, options, async (reply) => {
      const answer = await buffer(reply)
      if (isTokenCall(call)) issued(tokenIn(answer))
      const { connection: __, ...theirs } = reply.headers
      response.writeHead(reply.statusCode ?? 502, theirs).end(answer)
    })
    onward.on('error', () => response.destroy())
    onward.end(body)
  })
  return {
    url: server.url,
    seen,
    onCall: (listener) => {
      told = listener
    },
    onToken: (listener) => {
      issued = listener
    },
    close: server.close,
  }
}

export const isTokenCall = ({ method, path }: Pick<Seen, 'method' | 'path'>): boolean =>
  method === 'POST' && path.endsWith('/token/')

function tokenIn(answer: Buffer): string {
  const stated: unknown = JSON.parse(answer.toString())
  const isToken = typeof stated === 'object' && stated !== null && 'access_token' in stated
  return isToken ? String(stated.access_token) : ''
}
