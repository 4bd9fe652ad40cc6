// Looks whether an account is set up as this operator needs it. It reads only: its balances, and a
// transaction that nobody has.

import { readFields } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import type { Finding } from '../gateway.ts'
import type { Caller, CallResult as Result } from './client.ts'
import { detailOf } from './wire.ts'

const checkMs = 10_000
const skewFailS = 300

const finding = (what: string, is: Finding['is'], found: string, fix = ''): Finding => ({
  ...{ what, is },
  ...{ found, fix },
})

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock }: Pick<AdapterTools, 'clock'>,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const get = (path: string) => call({ method: 'GET', path }, until)
  const balances = await get('/v1/balances')
  // No transaction has so high a number.
  const nobodys = await get('/v1/transactions/999999999999999')
  return [
    ...tlsFindings(account),
    keyFinding(balances),
    ...clockFindings(balances, { now_ms: clock(), fail_s: skewFailS }),
    questionFinding(nobodys),
  ]
}

function tlsFindings({ environment, settings: { base_url = '' } }: Account): Finding[] {
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [finding('TLS', 'FAIL', base_url, 'Use an https:// address.')]
}

function keyFinding(result: Result): Finding {
  const what = 'secret key'
  if (result.is !== 'answered') {
    return finding(what, 'FAIL', result.because, 'The address or its certificate: see base_url.')
  }
  const fields = readFields(result.body)
  if (result.status === 200 && Array.isArray(fields?.['v1/balances'])) {
    return finding(what, 'PASS', 'balances are shown')
  }
  const fix = 'Compare the key with the dashboard: the sandbox has another than LIVE. Then rotate.'
  return finding(what, 'FAIL', detailOf(result.status, fields), fix)
}

function questionFinding(result: Result): Finding {
  const what = 'question about a transaction'
  const fix = 'Compare base_url and the key.'
  if (result.is !== 'answered') return finding(what, 'FAIL', result.because, fix)
  const isMissing = result.status === 404 && readFields(result.body) !== undefined
  if (isMissing) return finding(what, 'PASS', 'not found')
  return finding(what, 'FAIL', `status ${result.status}`, fix)
}
