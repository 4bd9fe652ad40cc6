// Looks whether an account is set up as this operator needs it. It reads only: a token, a question
// about a key that nobody has, a balance.

import { randomUUID } from 'node:crypto'
import { readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { Finding } from '../gateway.ts'
import type { Caller, CallResult } from './client.ts'
import { readStatus } from './read-answer.ts'
import { type Product, products, readBalanceText, statusPath } from './wire.ts'

const checkMs = 10_000
const skewFailS = 300

const pass = (what: string, found: string): Finding => ({ what, is: 'PASS', found, fix: '' })

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock, our_address }: Readonly<{ clock: () => number; our_address: string | undefined }>,
): Promise<readonly Finding[]> {
  const findings = [...environmentFindings(account)]
  for (const product of Object.values(products)) {
    findings.push(...(await checkProduct(account, call, clock, product)))
    // Users are made, and shown, by the API in the sandbox alone; in LIVE by the portal.
    if (our_address === undefined || account.environment === 'LIVE') continue
    findings.push(...(await hostFindings(account, call, product, our_address)))
  }
  return findings
}

/** Each API user is made for one host; callbacks to another are refused with the payment. */
async function hostFindings(
  { secrets }: Account,
  call: Caller,
  product: Product,
  our_address: string,
): Promise<Finding[]> {
  const path = `/v1_0/apiuser/${secrets[`${product}_api_user`] ?? ''}`
  const result = await call.send({ method: 'GET', product, path }, performance.now() + checkMs)
  const shown = result.is === 'answered' ? readFields(result.body) : undefined
  const registered = shown === undefined ? '' : wordIn(shown, 'providerCallbackHost')
  if (registered === '') return []
  const what = `${product} callback host`
  if (registered === new URL(our_address).hostname) return [pass(what, registered)]
  const fix = 'Make an API user for the host of PUBLIC_URL, then rotate; or set PUBLIC_URL.'
  return [{ what, is: 'WARN', found: `${registered}, and ours is ${our_address}`, fix }]
}

function environmentFindings({ environment, settings }: Account): Finding[] {
  const { target_environment = '', wire_currency = '', base_url = '' } = settings
  const isSandbox = target_environment === 'sandbox'
  const found: Finding[] = []
  if (isSandbox !== (environment === 'SANDBOX')) {
    found.push({
      what: 'target environment',
      is: 'FAIL',
      found: `${target_environment} in ${environment}`,
      fix: 'Set target_environment to the country’s value in LIVE, and to sandbox in SANDBOX.',
    })
  } else found.push(pass('target environment', target_environment))
  if (environment === 'LIVE' && wire_currency !== '') {
    found.push({
      what: 'currency',
      is: 'FAIL',
      found: `${wire_currency} in place of the country’s own`,
      fix: 'Remove wire_currency: it is for the operator’s sandbox only.',
    })
  }
  if (environment === 'LIVE' && !base_url.startsWith('https://')) {
    found.push({ what: 'TLS', is: 'FAIL', found: base_url, fix: 'Use an https:// address.' })
  }
  return found
}

async function checkProduct(
  account: Account,
  call: Caller,
  clock: () => number,
  product: Product,
): Promise<Finding[]> {
  const issued = await call.obtain(product)
  if (issued.is === 'none') return [tokenFault(product, issued)]
  const token = pass(`${product} token`, `lives ${issued.expires_in_s} s`)
  const until = performance.now() + checkMs
  const direction = product === 'collection' ? 'COLLECT' : 'DISBURSE'
  const our_key = randomUUID()
  const asked = await call.send(
    { method: 'GET', product, path: statusPath(direction, our_key) },
    until,
  )
  const balance = await call.send(
    { method: 'GET', product, path: `/${product}/v1_0/account/balance` },
    until,
  )
  return [
    token,
    ...clockFindings(asked, { now_ms: clock(), fail_s: skewFailS, what: `${product} clock` }),
    questionFinding(product, { direction, our_key }, asked),
    balanceFinding(account, product, balance),
  ]
}

function tokenFault(
  product: Product,
  { because, denied }: Readonly<{ because: string; denied?: boolean }>,
): Finding {
  return {
    what: `${product} token`,
    is: 'FAIL',
    found: because,
    fix:
      denied === true
        ? `Compare ${product}_subscription_key, _api_user and _api_key with the portal: each ` +
          'product has its own, and a key of the sandbox is none of LIVE.'
        : 'The address, its name or its certificate: compare base_url, then ask the operator ' +
          'whether it is up.',
  }
}

/** A key that nobody has: "not found" proves address, access and environment at once. */
function questionFinding(
  product: Product,
  about: Readonly<{ direction: 'COLLECT' | 'DISBURSE'; our_key: string }>,
  result: CallResult,
): Finding {
  const what = `${product} question`
  const key = {
    ...about,
    merchant_id: '',
    attempt_id: '',
    external_reference: '',
    amount: 100n,
    currency: 'XOF',
  }
  const context = { wire_currency: '', note: () => undefined }
  const read = result.is === 'answered' ? readStatus(key, result, context) : result
  if (read.is === 'not_found') return pass(what, 'not found, as it must be')
  const found =
    result.is === 'answered' ? `status ${result.status}` : `${result.is} ${result.because}`
  return { what, is: 'FAIL', found, fix: questionFix(result) }
}

function questionFix(result: CallResult): string {
  if (result.is !== 'answered') return 'Nobody answers: compare base_url, and ask the operator.'
  if (result.status === 401) return 'The token is of another product or environment than the key.'
  if (result.status === 403) return 'Give the operator this machine’s public address to admit.'
  if (result.status === 404) return 'Another form of "not found": compare base_url.'
  return 'Compare target_environment with the country’s value.'
}

function balanceFinding(account: Account, product: Product, result: CallResult): Finding {
  const what = `${product} balance`
  const shown = result.is === 'answered' ? readBalanceText(result) : undefined
  if (shown === undefined) {
    const found = result.is === 'answered' ? `status ${result.status}` : result.because
    const fix = 'Ask the operator to open the balance of this product to the API user.'
    return { what, is: 'WARN', found, fix }
  }
  const { wire_currency = '' } = account.settings
  if (wire_currency !== '' && shown.currency !== wire_currency) {
    return {
      what,
      is: 'FAIL',
      found: `${shown.amount} ${shown.currency}, and we send ${wire_currency}`,
      fix: 'Set wire_currency to what the account holds.',
    }
  }
  return pass(what, `${shown.amount} ${shown.currency}`)
}
