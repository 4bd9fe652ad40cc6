// The merchants' endpoints: half of the time they answer 500 or cut the connection, and they keep
// what they received, by event and endpoint, with what they answered.

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Ends } from '../../server/test/setup/ends.ts'
import { serveHttp } from '../../server/test/setup/loopback.ts'
import type { Random } from '../fuzz/random.ts'
import { parsed, textAt } from './json.ts'

/** One delivery's try as its receiver saw it. */
export type DeliveryReceived = Readonly<{
  at_ms: number
  /** 2xx was answered. */
  is_taken: boolean
  /** So late after it was sent (we stood still) that its sender may have given it up. */
  is_late: boolean
  /** The hash of the body, which is the same at each try. */
  hash: string
  event: string
  /** The id of what it shows: a transaction, a refund. */
  about: string
  status: string
}>

export type Receiver = Readonly<{
  url: string
  /** By `receivedKey`, each in the order in which it came. */
  heard: ReadonlyMap<string, readonly DeliveryReceived[]>
  /** From now on everything is taken. */
  behave(): void
  /** From now on nothing is answered at all. */
  hold(): void
  misbehave(random: Random): void
}>

/** An event has one id at all endpoints: `address` is the endpoint's own, a URL or its path. */
export const receivedKey = (event_id: string, address: string): string =>
  `${event_id} ${address.slice(Math.max(0, address.indexOf('/hooks')))}`

export const eventIdIn = (key: string): string => key.split(' ')[0] ?? ''

/** Beyond this a delivery is taken: with nine failures it would be given up, and never received. */
const refusals_max = 5
/** A try has 15 s, and its time is sent in whole seconds. */
const late_after_ms = 10_000

export async function startReceiver(ends: Ends): Promise<Receiver> {
  const heard = new Map<string, DeliveryReceived[]>()
  let chance: Random | undefined
  let holds = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const id = receivedKey(String(request.headers['x-webhook-id']), String(request.url))
    const copies = heard.get(id) ?? []
    heard.set(id, copies)
    const isLucky = () =>
      chance === undefined || copies.length >= refusals_max || chance.chance(0.5)
    const is_taken = !holds && isLucky()
    const sent_ms = Number(request.headers['x-webhook-timestamp']) * 1000
    const is_late = Date.now() - sent_ms > late_after_ms
    copies.push({ ...readDelivery(body), is_taken, is_late })
    if (holds) return
    if (is_taken) response.end('ok')
    else if (chance?.chance(0.5)) response.writeHead(500).end('no')
    else request.socket.destroy()
  }
  const server = await ends.keep(serveHttp(answer))
  return {
    url: `${server.url}/hooks`,
    heard,
    behave() {
      chance = undefined
      holds = false
    },
    hold() {
      holds = true
    },
    misbehave(random) {
      chance = random
    },
  }
}

function readDelivery(body: string): Omit<DeliveryReceived, 'is_taken' | 'is_late'> {
  const json = parsed(body)
  return {
    at_ms: Date.now(),
    hash: createHash('sha256').update(body).digest('hex'),
    event: textAt(json, 'event'),
    about: textAt(json, 'data', 'id'),
    status: textAt(json, 'data', 'status'),
  }
}
