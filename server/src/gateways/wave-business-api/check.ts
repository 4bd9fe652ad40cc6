// Looks whether an account is set up as this operator needs it. It reads only: a search for a key
// that nobody has, in both products, and the balance.

import { randomUUID } from 'node:crypto'
import type { Text } from '../../platform/errors.ts'
import { readFields } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import {
  answerText,
  fail,
  named,
  pass,
  plainAddressFinding,
  statusText,
  warn,
} from '../findings.ts'
import type { Direction, Finding } from '../gateway.ts'
import { bothPurposes, purposesText } from '../wallet.ts'
import type { Caller, CallResult } from './client.ts'
import { readSearch } from './read-answer.ts'
import { max_skew_s } from './settings.ts'
import { codeOf, paths, readBalance } from './wire.ts'

const checkMs = 10_000

/** As the portal names them. */
const session_events = 'checkout.session.*'
const balance_api = 'Balance API'

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  tools: AdapterTools,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const our_key = randomUUID()
  const ask = (path: string) => call({ method: 'GET', path }, until)
  const [sessions, payouts, balance] = await Promise.all([
    ask(paths.searchSessions(our_key)),
    ask(paths.searchPayouts(our_key)),
    ask(paths.balance),
  ])
  return [
    ...settingFindings(account),
    ...clockFindings(sessions, {
      ...{ now_ms: tools.clock(), fail_s: max_skew_s },
      because: {
        en: 'signatures older than five minutes prove nothing',
        fr: 'une signature de plus de cinq minutes ne prouve rien',
      },
    }),
    searchFinding({ en: 'checkout search', fr: 'recherche de paiements' }, 'COLLECT', sessions),
    searchFinding({ en: 'payout search', fr: 'recherche de versements' }, 'DISBURSE', payouts),
    balanceFinding(balance),
    webhookFinding(account.code),
  ]
}

/** No call shows where its events go. */
const webhookFinding = (code: string): Finding =>
  warn(
    named('webhook'),
    {
      en: 'its registration cannot be read',
      fr: 'son enregistrement ne peut pas être consulté',
    },
    {
      en:
        `Compare on the portal: https, this account’s /callbacks/${code}, signing secret as its ` +
        `strategy, both ${session_events} events; then send its test event.`,
      fr:
        `Vérifiez sur le portail : https, /callbacks/${code} pour ce compte, stratégie par ` +
        `secret de signature, les deux événements ${session_events} ; puis envoyez ` +
        'l’événement de test.',
    },
  )

function settingFindings({ environment, settings }: Account): Finding[] {
  const { base_url = '' } = settings
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [plainAddressFinding(base_url)]
}

/** Nothing found proves address, key and permission at once. */
function searchFinding(what: Text, direction: Direction, result: CallResult): Finding {
  if (result.is !== 'answered') {
    return fail(what, answerText(result), {
      en: 'Nobody answers: compare base_url, and ask the operator.',
      fr: 'Personne ne répond : vérifiez base_url, et interrogez l’opérateur.',
    })
  }
  const key = {
    ...{ merchant_id: '', attempt_id: '', direction, our_key: '', external_reference: '' },
    ...{ amount: 100n, currency: 'XOF' },
  }
  const { answer } = readSearch(key, result, { note: () => undefined, now_ms: 0 })
  if (answer.is === 'not_found') {
    const found = { en: 'nothing found, as it must be', fr: 'rien trouvé, comme il se doit' }
    return pass(what, found)
  }
  const code = codeOf(readFields(result.body))
  return fail(what, statusText(result.status, code), fixOf(result.status))
}

function fixOf(status: number): Text {
  if (status === 401) {
    return {
      en: 'The API key is wrong or revoked: make one on the portal and rotate.',
      fr: 'Clé API erronée ou révoquée : créez-en une sur le portail, puis remplacez-la ici.',
    }
  }
  if (status === 403) {
    return {
      en:
        'The API key lacks this API, or the portal admits other addresses only: compare its ' +
        'permissions and its address list.',
      fr:
        'La clé API n’ouvre pas cette API, ou le portail n’admet que d’autres adresses : ' +
        'vérifiez ses autorisations et sa liste d’adresses.',
    }
  }
  return {
    en: 'Compare base_url; then ask the operator.',
    fr: 'Vérifiez base_url ; puis interrogez l’opérateur.',
  }
}

function balanceFinding(result: CallResult): Finding {
  const what = { en: 'balance', fr: 'solde' }
  const shown = result.is === 'answered' ? readBalance(result) : undefined
  if (shown !== undefined) {
    const [held, use] = [`${shown.amount / 100n} ${shown.currency}`, purposesText(bothPurposes)]
    return pass(what, { en: `${held}, ${use.en}`, fr: `${held}, ${use.fr}` })
  }
  const isOdd = result.is === 'answered' && result.status === 200
  return warn(what, isOdd ? { en: 'it cannot be read', fr: 'illisible' } : answerText(result), {
    en: `Give the API key the ${balance_api}.`,
    fr: `Donnez à la clé API l’accès à « ${balance_api} ».`,
  })
}
