// The merchants' endpoint, as a process of its own: answers 200 at once, and reports to the bench
// which payments it has received. A second address takes the call and never answers.

import type { Socket } from 'node:net'
import { serveTcp } from '../../server/test/setup/loopback.ts'
import type { FromReceiver, ToReceiver } from './talk.ts'
import { type Message, MessageReader } from './wire.ts'

const report_every_ms = 10
const thanks = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'

const deliveryOf = new Map<string, string>()
let repeats = 0
let doubles = 0
let news: string[] = []

const send = (message: FromReceiver) => process.send?.(message)

function receive({ head, body }: Message): void {
  if (!/^x-webhook-event: transaction\.success\r?$/im.test(head)) return
  const delivery = /^x-webhook-id: (\S+)/im.exec(head)?.[1] ?? ''
  const payment: string = JSON.parse(body).data.id
  const known = deliveryOf.get(payment)
  if (known === undefined) {
    deliveryOf.set(payment, delivery)
    news.push(payment)
  } else if (known === delivery) repeats += 1
  else doubles += 1
}

function answering(socket: Socket): void {
  const reader = new MessageReader()
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    const messages = reader.read(chunk)
    for (const message of messages) receive(message)
    socket.write(thanks.repeat(messages.length))
  })
}

function hanging(socket: Socket): void {
  socket.on('error', () => socket.destroy())
  socket.resume()
}

process.on('message', ({ is }: ToReceiver) => {
  if (is === 'tally') send({ is, tally: { payments: deliveryOf.size, repeats, doubles } })
})
process.on('disconnect', () => process.exit(0))

setInterval(() => {
  if (news.length === 0) return
  send({ is: 'heard', ids: news })
  news = []
}, report_every_ms)

const { port } = await serveTcp(answering)
const { port: hanging_port } = await serveTcp(hanging)
send({ is: 'ready', port, hanging_port })
