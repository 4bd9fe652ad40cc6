// A connection that dies while it opens is an error that the driver leaves to nobody: Node would end
// the process with a stack trace, or without a word. That a process which has started outlives it is
// shown by `npm run chaos`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LoopbackServer, serveTcp } from './setup/loopback.ts'
import { serviceProgram } from './setup/main-program.ts'

/** A message of PostgreSQL's protocol: its letter, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 0)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const authenticated = message('R', Buffer.from([0, 0, 0, 0]))
const ready = message('Z', Buffer.from('I'))

let server: LoopbackServer
let opened = 0

/** Lets a client in and is gone at its first question, as a server that is killed just then. */
beforeAll(async () => {
  server = await serveTcp((socket) => {
    opened += 1
    let answered = false
    socket.on('data', () => {
      if (answered) socket.destroy()
      else socket.write(Buffer.concat([authenticated, ready]))
      answered = true
    })
  })
})
afterAll(() => server.close())

it('a database that dies while the first connection opens: one clear line and exit code 1', async () => {
  const child = spawn(process.execPath, serviceProgram(), {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: `postgres://x@127.0.0.1:${server.port}/x`,
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PORT: '0',
      HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'exit')
  // It cannot start without its database, and says so in its own words and not by a stack trace.
  expect(opened).toBeGreaterThan(0)
  expect(code).toBe(1)
  expect(output).toContain('Pirogue could not start')
  expect(output).not.toMatch(/unhandled|triggerUncaughtException|node_modules/i)
}, 30_000)
