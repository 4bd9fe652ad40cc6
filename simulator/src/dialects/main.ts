// Runs one dialect as a process of its own: `npm run dialect -- mtn`. Its address, and what an
// account with it is set up with, are printed as a line of JSON; it ends with SIGTERM or SIGINT.

import { starters } from '../dialect-starters.ts'

const {
  DIALECT_HOST: host = '127.0.0.1',
  DIALECT_JOURNAL: journal,
  DIALECT_SPEED: speed = '1',
  DIALECT_PORT: port = '0',
  DIALECT_CALLBACK_URL: callback_url,
} = process.env

const [name = ''] = process.argv.slice(2)
const start = starters.get(name)

if (start === undefined) {
  process.stderr.write(`Name a dialect: ${[...starters.keys()].join(', ')}\n`)
  process.exit(1)
}

/** What opens it is made of this: the same in each run, and worth nothing anywhere else. */
const token = 'imitation'

const dialect = await start(
  { token, host, speed: Number(speed), misbehaves: false },
  {
    port: Number(port),
    callback_url: callback_url || `http://127.0.0.1:8080/callbacks/${name}_sandbox/`,
  },
  journal || undefined,
)

async function end(): Promise<void> {
  await dialect.stop()
  process.exit(0)
}

process.on('SIGTERM', end)
process.on('SIGINT', end)
const { port: at, settings, secrets } = dialect.opened
const url = `http://${host}:${at}`
process.stdout.write(`${JSON.stringify({ dialect: name, url, settings, secrets })}\n`)
