// Callbacks: tried again with the same event until taken or given up; many at a time.

import { expect, it } from 'vitest'
import { isSigned, order, pause, startClient, startReceiver, until } from './harness.ts'

it('is sent again after a refusal: the same event, with a valid signature each time', async () => {
  const { post } = await startClient({ speed: 20 })
  const receiver = await startReceiver()
  receiver.answers.push(500, 302, 404)
  await post('/a/collections', order('55', { callback_url: receiver.url }))
  await until(() => receiver.received.length === 4)
  expect(receiver.received.every(isSigned)).toBe(true)
  expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1)
  const gaps = receiver.received.map(
    ({ at }, index) => at - (receiver.received[index - 1]?.at ?? at),
  )
  // Waits of 1, 2 and 4 s, here divided by 20.
  expect(gaps[1]).toBeGreaterThanOrEqual(45)
  expect(gaps[2]).toBeGreaterThanOrEqual(95)
  expect(gaps[3]).toBeGreaterThanOrEqual(195)
})

it('is given up after sixteen tries in an hour and a half', async () => {
  const { post } = await startClient({ speed: 10_000 })
  const receiver = await startReceiver()
  receiver.answers.push(...Array(20).fill(503))
  await post('/a/collections', order('55', { callback_url: receiver.url }))
  await until(() => receiver.received.length === 16)
  await pause(400)
  expect(receiver.received).toHaveLength(16)
})

it('reaches one client while another does not answer', async () => {
  const { post } = await startClient({ speed: 20 })
  const receiver = await startReceiver()
  await post('/a/collections', order('55', { callback_url: 'http://127.0.0.1:9/' }))
  await post('/a/collections', order('55', { callback_url: receiver.url }))
  await until(() => receiver.received.length === 1)
})

it('keeps up with hundreds of collections in a second, each debited and told once', async () => {
  const { simulator, get, post } = await startClient({ speed: 5 })
  const receiver = await startReceiver()
  const bodies = Array.from({ length: 600 }, () => order('55', { callback_url: receiver.url }))
  const replies = await Promise.all(bodies.map((body) => post('/a/collections', body)))
  expect(replies.every(({ status }) => status === 202)).toBe(true)
  await until(() => receiver.received.length === 600, 30_000)
  const references = new Set(receiver.received.map(({ body }) => body.reference))
  expect(references.size).toBe(600)
  expect(simulator.books().every((book) => book.debited_at)).toBe(true)
  expect((await get('/books/totals')).body.a.XOF.collected).toBe(`${600 * 10_325}.00`)
}, 60_000)
