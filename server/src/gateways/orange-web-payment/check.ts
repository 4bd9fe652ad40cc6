// Looks whether an account is set up as this operator needs it. It reads only: a token.

import type { SendResult } from '../../platform/outbound/outbound.ts'
import type { Account, AdapterTools, IssuedToken } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import { fail, named, pass, reasonText, warn } from '../findings.ts'
import type { Finding } from '../gateway.ts'
import { max_skew_s } from './settings.ts'
import { readToken } from './wire.ts'

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  askToken: () => Promise<SendResult>,
  { clock }: Pick<AdapterTools, 'clock'>,
): Promise<readonly Finding[]> {
  const result = await askToken()
  return [
    ...tokenFindings(readToken(result)),
    ...clockFindings(result, { now_ms: clock(), fail_s: max_skew_s }),
    ...environmentFindings(account),
  ]
}

function tokenFindings(issued: IssuedToken): Finding[] {
  const what = { en: 'token', fr: 'jeton' }
  if (issued.is === 'issued') {
    const { expires_in_s } = issued
    return [pass(what, { en: `lives ${expires_in_s} s`, fr: `valable ${expires_in_s} s` })]
  }
  const fix =
    issued.denied === true
      ? {
          en: 'Compare client_id and client_secret with developer.orange.com.',
          fr: 'Comparez client_id et client_secret avec developer.orange.com.',
        }
      : {
          en: 'Nobody answers: compare base_url, and ask the operator.',
          fr: 'Personne ne répond : vérifiez base_url, et interrogez l’opérateur.',
        }
  return [fail(what, reasonText(issued.because), fix)]
}

/** No payment, no answer about it. */
const merchantKey = warn(
  { en: 'merchant key', fr: 'clé du marchand' },
  {
    en: 'cannot be asked about without a payment',
    fr: 'ne peut pas être vérifiée sans paiement',
  },
  {
    en: 'Make one small payment: a wrong key refuses it.',
    fr: 'Faites un petit paiement : une clé erronée le fait refuser.',
  },
)

function environmentFindings({ environment, settings: given }: Account): Finding[] {
  const { country_path = '', wire_currency = '' } = given
  const what = { en: 'environment', fr: 'environnement' }
  const found = `${country_path} ${wire_currency}`.trim()
  const isSandbox = country_path === 'dev'
  if (isSandbox === (environment === 'SANDBOX')) return [pass(what, named(found)), merchantKey]
  const fault = fail(
    what,
    { en: `${found} in ${environment}`, fr: `${found} en ${environment}` },
    {
      en: 'In LIVE country_path is the country’s and there is no wire_currency; in SANDBOX dev.',
      fr:
        'En mode réel, country_path est celui du pays et wire_currency reste vide ; ' +
        'dans le bac à sable, c’est dev.',
    },
  )
  return [fault, merchantKey]
}
