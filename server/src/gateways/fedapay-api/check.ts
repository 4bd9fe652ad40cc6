// Looks whether an account is set up as this operator needs it. It reads only: its balances, and a
// transaction that nobody has.

import type { Text } from '../../platform/errors.ts'
import { readFields, sentenceIn } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import { answerText, fail, pass, plainAddressFinding, statusText } from '../findings.ts'
import type { Finding } from '../gateway.ts'
import { type WalletBalance, walletFinding } from '../wallet.ts'
import type { Caller, CallResult as Result } from './client.ts'
import { max_skew_s } from './settings.ts'

const checkMs = 10_000

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  {
    clock,
    walletsIn,
  }: Pick<AdapterTools, 'clock'> &
    Readonly<{ walletsIn: (balances: Result) => Promise<readonly WalletBalance[]> }>,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const get = (path: string) => call({ method: 'GET', path }, until)
  const balances = await get('/v1/balances')
  // No transaction has so high a number.
  const nobodys = await get('/v1/transactions/999999999999999')
  return [
    ...tlsFindings(account),
    keyFinding(balances),
    ...clockFindings(balances, { now_ms: clock(), fail_s: max_skew_s }),
    questionFinding(nobodys),
    // It names its currencies by numbers, which are asked for: what cannot be read is left out.
    ...(await walletsIn(balances)).map(walletFinding),
  ]
}

function tlsFindings({ environment, settings: { base_url = '' } }: Account): Finding[] {
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [plainAddressFinding(base_url)]
}

const secretKey: Text = { en: 'secret key', fr: 'clé secrète' }

function keyFinding(result: Result): Finding {
  if (result.is !== 'answered') {
    return fail(secretKey, answerText(result), {
      en: 'The address or its certificate: see base_url.',
      fr: 'L’adresse ou son certificat : voyez base_url.',
    })
  }
  const fields = readFields(result.body)
  if (result.status === 200 && Array.isArray(fields?.['v1/balances'])) {
    return pass(secretKey, { en: 'balances are shown', fr: 'les soldes sont visibles' })
  }
  const message = fields === undefined ? '' : sentenceIn(fields, 'message')
  return fail(secretKey, statusText(result.status, message), {
    en: 'Compare the key with the dashboard: the sandbox has another than LIVE. Then rotate.',
    fr:
      'Comparez la clé avec celle du tableau de bord : le bac à sable et le mode réel ont chacun ' +
      'la leur. Puis remplacez-la.',
  })
}

function questionFinding(result: Result): Finding {
  const what = {
    en: 'question about a transaction',
    fr: 'question sur une transaction',
  }
  const fix = { en: 'Compare base_url and the key.', fr: 'Vérifiez base_url et la clé.' }
  if (result.is !== 'answered') return fail(what, answerText(result), fix)
  const isMissing = result.status === 404 && readFields(result.body) !== undefined
  return isMissing
    ? pass(what, { en: 'not found', fr: 'introuvable' })
    : fail(what, statusText(result.status), fix)
}
