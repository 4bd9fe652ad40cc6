// What a person at a terminal reads of the log.

import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { makeLog, readableLines } from './log.ts'

async function terminal() {
  let text = ''
  const destination = new Writable({
    write(chunk, _, done) {
      text += chunk
      done()
    },
  })
  return { log: makeLog('info', await readableLines({ destination })), read: () => text }
}

const time = String.raw`\d\d:\d\d:\d\d`

it('is a sentence for an answer: when, what, how it ended and why', async () => {
  const { log, read } = await terminal()
  const who = { ip: '127.0.0.1', ua: 'curl/8', merchant_id: 'm', api_key_id: 'k' }
  const call = { method: 'POST', route: '/api/v1/payouts/initialize/', status: 422, ms: 6 }
  log.info({ ...who, ...call, refused: 'invalid_method', request_id: 'r-1' }, 'answered')
  expect(read()).toMatch(
    new RegExp(`^\\[${time}\\] INFO: POST /api/v1/payouts/initialize/ 422 invalid_method`),
  )
  expect(read()).toContain('6 ms req=r-1')
  expect(read()).not.toMatch(/curl|merchant_id|127/)
  expect(read().trim().split('\n')).toHaveLength(1)
})

it('keeps what another line says beside its message, errors too', async () => {
  const { log, read } = await terminal()
  log.warn({ job: 'poll', err: new Error('no answer') }, 'a job failed')
  expect(read()).toMatch(new RegExp(`^\\[${time}\\] WARN: a job failed`))
  expect(read()).toContain('poll')
  expect(read()).toContain('no answer')
})
