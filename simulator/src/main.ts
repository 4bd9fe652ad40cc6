// Runs the operator as a process of its own. Law: it never outlives its parent, so it ends when its
// standard input closes, and on SIGTERM or SIGINT.

import { startSimulator } from './start.ts'

function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  process.stderr.write(`simulator: ${name} is required\n`)
  process.exit(1)
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  process.stderr.write('simulator: SIMULATOR_PORT must be a port number from 0 to 65535\n')
  process.exit(1)
}

const {
  SIMULATOR_HOST: host,
  SIMULATOR_JOURNAL: journal,
  SIMULATOR_PUBLIC_URL: public_url,
} = process.env

const simulator = await startSimulator({
  port: portOf(process.env.SIMULATOR_PORT || '0'),
  token: required('SIMULATOR_TOKEN'),
  callback_secret: required('SIMULATOR_CALLBACK_SECRET'),
  ...(host ? { host } : {}),
  ...(journal ? { journal } : {}),
  ...(public_url ? { public_url } : {}),
})

async function end(): Promise<void> {
  await simulator.stop()
  process.exit(0)
}

process.on('SIGTERM', end)
process.on('SIGINT', end)
process.stdin.on('end', end)
process.stdin.on('close', end)
process.stdin.on('error', end)
process.stdin.resume()
// Whoever would read it has ended: so do we, without a word.
process.stdout.on('error', end)
process.stdout.write(`${JSON.stringify({ url: simulator.url })}\n`)
