// The merchants' shops, as a process of its own: begins payments over kept connections and waits
// for the webhook of each. A payment is complete when its success was received; its merchant's next
// one begins then (closed), or on time whatever becomes of the others (paced).

import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { Counts, FromPayers, Target, ToPayers } from './talk.ts'
import { type Message, MessageReader, postText, statusOf } from './wire.ts'

const path = '/api/v1/payments/softpay/initialize/'
const connections_max = 512
const tick_ms = 5
/** A payment whose webhook cannot come makes room for the next after this. */
const unanswered_ms = 1_200
/** After a refusal, so that refusing is not what is measured. */
const refused_pause_ms = 200
/** The sandbox's payer takes one second to confirm; more than one besides is late. */
const late_ms = 2_000

type Shops = Extract<ToPayers, { is: 'shops' }>
type Call = Readonly<{ text: string; began_ms: number; target: Target }>
type Line = { readonly socket: Socket; call: Call | undefined; is_lost: boolean }

let shops: Shops = { is: 'shops', host: '', port: 0, targets: [] }
let in_flight = 0
let pace: { per_s: number; from_ms: number; begun: number } | undefined
let begun = 0
const count = { accepted: 0, refused: 0, complete: 0, late: 0, open: 0, last_refusal: '' }
let took_ms: number[] = []

const idle: Line[] = []
const waiting: Call[] = []
let lines = 0
/** Accepted, and its webhook not received yet: when it was begun. */
const unheard = new Map<string, number>()
/** Its webhook was received before the answer to initialize was read. */
const early = new Set<string>()

function begin(began_ms: number): void {
  const target = shops.targets[begun % shops.targets.length]
  if (target === undefined) return
  begun += 1
  count.open += 1
  const call = { text: callText(target, begun), began_ms, target }
  const line = idle.pop()
  if (line !== undefined) send(line, call)
  else if (lines < connections_max) send(openLine(), call)
  else waiting.push(call)
}

/** A unique payer (Bénin), whose last two digits are no magic number. */
function phoneOf(no: number): string {
  const digits = String(Math.floor(no / 90) % 1_000_000).padStart(6, '0')
  return `+22901${digits}${10 + (no % 90)}`
}

function callText(target: Target, no: number): string {
  const body = JSON.stringify({
    amount: '5000',
    currency: 'XOF',
    country: 'BJ',
    network: 'mtn_bj',
    customer: {
      email: `payer${no}@example.com`,
      first_name: 'Awa',
      last_name: 'Diop',
      phone: phoneOf(no),
    },
    description: 'Two bags of rice',
    merchant_reference: `order-${no}`,
    metadata: { order: no },
  })
  const headers = {
    authorization: `Bearer ${target.key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  }
  return postText({ host: `${shops.host}:${shops.port}`, path, headers, body })
}

function openLine(): Line {
  lines += 1
  const socket = connect({ host: shops.host, port: shops.port, noDelay: true })
  const line: Line = { socket, call: undefined, is_lost: false }
  const reader = new MessageReader()
  socket.on('data', (chunk) => {
    for (const message of reader.read(chunk)) answered(line, message)
  })
  socket.on('error', (error) => lost(line, error.message))
  socket.on('close', () => lost(line, 'the connection was closed'))
  return line
}

function send(line: Line, call: Call): void {
  line.call = call
  line.socket.write(call.text)
}

function lost(line: Line, why: string): void {
  if (line.is_lost) return
  line.is_lost = true
  lines -= 1
  const at = idle.indexOf(line)
  if (at >= 0) idle.splice(at, 1)
  if (line.call !== undefined) refused(why)
  line.call = undefined
  line.socket.destroy()
}

function answered(line: Line, message: Message): void {
  const { call } = line
  if (call === undefined) return
  line.call = undefined
  took_ms.push(performance.now() - call.began_ms)
  const next = waiting.shift()
  if (next === undefined) idle.push(line)
  else send(line, next)
  if (statusOf(message) !== 201) refused(`${message.head.slice(0, 40)} ${message.body}`)
  else accepted(call, JSON.parse(message.body).data.id)
}

function accepted({ target, began_ms }: Call, id: string): void {
  count.accepted += 1
  if (!target.hears) setTimeout(() => over(), unanswered_ms)
  else if (early.delete(id)) complete(began_ms)
  else unheard.set(id, began_ms)
}

function refused(why: string): void {
  count.refused += 1
  count.last_refusal = why.slice(0, 300)
  setTimeout(() => over(), refused_pause_ms)
}

function complete(began_ms: number): void {
  count.complete += 1
  if (performance.now() - began_ms > late_ms) count.late += 1
  over()
}

function over(): void {
  count.open -= 1
  fill()
}

function fill(): void {
  while (count.open < in_flight) begin(performance.now())
}

/** Each call counts from when it was due: being late is part of how long it took. */
function keepPace(): void {
  if (pace === undefined) return
  const due = Math.floor(((performance.now() - pace.from_ms) * pace.per_s) / 1000)
  for (; pace.begun < due; pace.begun += 1) {
    begin(pace.from_ms + (pace.begun * 1000) / pace.per_s)
  }
}

function receive(ids: readonly string[]): void {
  for (const id of ids) {
    const began_ms = unheard.get(id)
    if (began_ms === undefined) early.add(id)
    else {
      unheard.delete(id)
      complete(began_ms)
    }
  }
}

function counts(): Counts {
  const sorted = took_ms.sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  const calls = { calls: sorted.length, p50_ms: at(0.5), p99_ms: at(0.99) }
  took_ms = []
  return { ...count, ...calls }
}

process.on('message', (message: ToPayers) => {
  switch (message.is) {
    case 'shops':
      shops = message
      return
    case 'closed':
      pace = undefined
      in_flight = message.in_flight
      return fill()
    case 'paced':
      in_flight = 0
      pace = { per_s: message.per_s, from_ms: performance.now(), begun: 0 }
      return
    case 'heard':
      return receive(message.ids)
    case 'count':
      process.send?.({ is: 'counts', counts: counts() } satisfies FromPayers)
  }
})
process.on('disconnect', () => process.exit(0))
setInterval(keepPace, tick_ms)
