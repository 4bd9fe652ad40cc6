// Runs one dialect as a process of its own: `npm run dialect -- mtn`. Its address is printed as a
// line of JSON; it ends with SIGTERM or SIGINT.

import { startFedapay } from './fedapay/start.ts'
import { startMtn } from './mtn/start.ts'
import { startOrange } from './orange/start.ts'
import { startPawapay } from './pawapay/start.ts'
import { startStripe } from './stripe/start.ts'
import { startWave } from './wave/start.ts'

const {
  DIALECT_HOST: host,
  DIALECT_JOURNAL: journal,
  DIALECT_SPEED: speed,
  DIALECT_WEBHOOK_URL: webhook_url,
  DIALECT_WEBHOOK_SECRET: webhook_secret,
} = process.env

type Started = Readonly<{ url: string; stop(): Promise<void> }>
type Options = Readonly<{ port: number; host?: string; journal?: string; speed?: number }>

/** As it is registered on the operator's portal; without one it calls nobody. */
const webhook =
  webhook_url && webhook_secret
    ? {
        webhook: {
          ...{ url: webhook_url, secrets: [webhook_secret] },
          strategy: 'SIGNING_SECRET' as const,
        },
      }
    : {}

const starters = new Map<string, (options: Options) => Promise<Started>>([
  ['fedapay', startFedapay],
  ['mtn', startMtn],
  ['pawapay', startPawapay],
  ['stripe', startStripe],
  ['orange', startOrange],
  ['wave', (options) => startWave({ ...options, ...webhook })],
])

const [name = ''] = process.argv.slice(2)
const start = starters.get(name)

if (start === undefined) {
  process.stderr.write(`Name a dialect: ${[...starters.keys()].join(', ')}\n`)
  process.exit(1)
}

const dialect = await start({
  port: Number(process.env.DIALECT_PORT || '0'),
  ...(host ? { host } : {}),
  ...(journal ? { journal } : {}),
  ...(speed ? { speed: Number(speed) } : {}),
})

async function end(): Promise<void> {
  await dialect.stop()
  process.exit(0)
}

process.on('SIGTERM', end)
process.on('SIGINT', end)
process.stdout.write(`${JSON.stringify({ dialect: name, url: dialect.url })}\n`)
