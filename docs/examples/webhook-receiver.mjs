// A webhook receiver in plain Node, to copy: checks the signature on the raw bytes, in constant time,
// refuses old timestamps, drops repeats. Run: WEBHOOK_SECRET=whsec_… node webhook-receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.WEBHOOK_SECRET
const port = Number(process.env.PORT ?? 9099)
const tolerance_s = 300
const body_bytes_max = 1_048_576

if (secret === undefined || secret.length < 32) {
  console.error('Set WEBHOOK_SECRET to the signing_secret of your webhook (whsec_…, or your own).')
  process.exit(1)
}

/** The key is the whole secret, with `whsec_` where it has that; what is signed is `{timestamp}.{raw body}`. */
function isOurs(headers, body) {
  const timestamp = headers['x-webhook-timestamp'] ?? ''
  if (!/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > tolerance_s) return false
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  // While a secret is replaced, the second is by the new one.
  const given = [headers['x-webhook-signature'], headers['x-webhook-signature-next']]
  return given.some(
    (hex) => /^[0-9a-f]{64}$/.test(hex ?? '') && timingSafeEqual(expected, Buffer.from(hex, 'hex')),
  )
}

/** In a real shop: a unique column in your database, written in the transaction that does the work.
 * The id is the event's: the same at each try and replay, at your other endpoints, in GET /events/. */
const seen = new Set()

function handle(event) {
  if (seen.has(event.id)) return console.log(`again     ${event.id}`)
  work(event)
  // Not before: what failed comes again, and is done then.
  seen.add(event.id)
}

/** In a real shop: what the event changes there. */
function work(event) {
  const { reference, status, amount, currency, version } = event.data
  if (reference === undefined) return console.log(event.event)
  console.log(`${event.event}  ${reference}  ${status}  ${amount} ${currency}  version ${version}`)
}

async function readRaw(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > body_bytes_max) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const server = createServer(async (request, response) => {
  const body = await readRaw(request).catch(() => undefined)
  if (request.method !== 'POST' || body === undefined) return response.writeHead(400).end()
  // Verified before it is parsed: an unsigned body is nobody's word.
  if (!isOurs(request.headers, body)) {
    console.log('refused   the signature or the timestamp is wrong')
    return response.writeHead(401).end()
  }
  try {
    handle(JSON.parse(body.toString('utf8')))
  } catch (error) {
    console.error(error)
    return response.writeHead(500).end()
  }
  // Answer 2xx within 15 seconds; do slow work afterwards.
  response.writeHead(204).end()
})

server.listen(port, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${port}/`))
