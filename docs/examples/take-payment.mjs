// Takes a payment in plain Node (20 or newer), to copy: starts it under a key of its own, sends the
// same call again while nobody answers, then asks how it ended.
// Run: API=… KEY=sk_test_… node docs/examples/take-payment.mjs ORDER-1043 5000 +2290197000010
import { setTimeout as sleep } from 'node:timers/promises'

const { API = '', KEY = '' } = process.env
const [order, amount, phone] = process.argv.slice(2)
const tries = 6
const answer_max_ms = 60_000
const wait_max_s = 900

if (API === '' || KEY === '' || phone === undefined) {
  console.error('Set API and KEY, and name an order, an amount and a phone.')
  process.exit(1)
}

/** One request; undefined when no answer of ours came, which says nothing about the payment. */
async function send(method, path, body, headers) {
  const response = await fetch(`${API}${path}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(answer_max_ms),
  }).catch(() => undefined)
  const answer = await response?.json().catch(() => undefined)
  if (typeof answer?.success !== 'boolean') return undefined
  return { ...answer, after_s: response.headers.get('retry-after') }
}

/** The very same call, body and headers, until it is answered for good. */
async function call(method, path, body, headers = {}) {
  for (let nth = 1; ; nth += 1) {
    const answer = await send(method, path, body, headers)
    if (answer?.success) return answer.data
    const isOver = answer && answer.code < 500 && answer.code !== 408 && !answer.error.retryable
    if (isOver || nth === tries) {
      // By field, or a code to decide by with a message for people.
      throw new Error(JSON.stringify(answer?.error ?? 'no answer: the outcome is unknown'))
    }
    await sleep(1000 * Number(answer?.after_s ?? 2 ** nth))
  }
}

// In a real shop the key is stored with the order before the call: after a crash the same key is
// sent again, and the payer is asked once.
const started = await call(
  'POST',
  '/payments/softpay/initialize/',
  {
    amount,
    currency: 'XOF',
    country: 'BJ',
    network: 'mtn_bj',
    customer: { phone },
    merchant_reference: order,
  },
  { 'Idempotency-Key': order },
)
console.log(`started   ${started.reference}  ${started.next_action}  ${started.instructions}`)
let page = ''
/** Send the payer to `checkout_url`. With REDIRECT and none yet, the operator is making it. */
function lead({ checkout_url }) {
  if (checkout_url === '' || checkout_url === page) return
  page = checkout_url
  console.log(`open      ${page}`)
}
lead(started)

// In a real shop the webhook tells the end; ask where none has come.
const until = Date.now() + 1000 * wait_max_s
let payment = await call('GET', `/payments/${started.id}/verify/`)
while (payment.status === 'PENDING' && Date.now() < until) {
  lead(payment)
  await sleep(2000)
  payment = await call('GET', `/payments/${started.id}/verify/`)
}

// Deliver for SUCCESS alone. PENDING is no failure: start no second payment for the order.
const money = `${payment.requested_amount} ${payment.currency}`
console.log(`ended     ${payment.reference}  ${payment.status}  ${money}  ${payment.failure_code}`)
process.exitCode = payment.status === 'SUCCESS' ? 0 : 1
