// Looks whether an account is set up as this operator needs it. It reads only: the balance, a page
// that nobody has, and where its events go.

import { randomBytes } from 'node:crypto'
import type { Text } from '../../platform/errors.ts'
import { type Fields, readFields, wordIn } from '../../platform/json-fields.ts'
import type { Account, AdapterTools } from '../adapter.ts'
import { clockFindings } from '../clock-findings.ts'
import { answerText, fail, pass, plainAddressFinding, statusText, warn } from '../findings.ts'
import type { Finding } from '../gateway.ts'
import { walletFinding } from '../wallet.ts'
import { api_version, type Caller, type CallResult } from './client.ts'
import { max_skew_s } from './settings.ts'
import { balancesIn, errorIn, readList, sessionPath } from './wire.ts'

const checkMs = 10_000

/** Events without which something is learnt only by asking, or not at all. */
export const wantedEvents = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'charge.refunded',
  'charge.dispute.created',
  'refund.updated',
  'refund.failed',
] as const

/** As the operator's own dashboard names what a key may be allowed. */
const sessions_right = 'Checkout sessions'

/** What was looked at, in the order in which it is mended. */
export async function checkAccount(
  account: Account,
  call: Caller,
  { clock }: Pick<AdapterTools, 'clock'>,
): Promise<readonly Finding[]> {
  const until = performance.now() + checkMs
  const get = (path: string) => call({ method: 'GET', path }, until)
  const balance = await get('/v1/balance')
  const nobodys = `cs_test_${randomBytes(16).toString('hex')}`
  return [
    ...tlsFindings(account),
    keyFinding(account, balance),
    ...clockFindings(balance, { now_ms: clock(), fail_s: max_skew_s }),
    questionFinding(await get(sessionPath(nobodys))),
    ...walletFindings(balance),
    eventsFinding(account, await get('/v1/webhook_endpoints?limit=100')),
  ]
}

function tlsFindings({ environment, settings: { base_url = '' } }: Account): Finding[] {
  if (environment !== 'LIVE' || base_url.startsWith('https://')) return []
  return [plainAddressFinding(base_url)]
}

/** Money of the account in its own mode: the key is good, and of this environment. */
function keyFinding({ environment }: Account, result: CallResult): Finding {
  const what = { en: 'secret key', fr: 'clé secrète' }
  if (result.is !== 'answered') {
    return fail(what, answerText(result), {
      en: 'The address, its name or its certificate: compare base_url.',
      fr: 'L’adresse, son nom ou son certificat : vérifiez base_url.',
    })
  }
  const fields = readFields(result.body)
  if (result.status !== 200 || fields?.['object'] !== 'balance') {
    return fail(what, statusText(result.status, errorIn(fields).code), {
      en:
        'Make a new key in the dashboard, and rotate. A restricted one must read balances, and ' +
        `read and write ${sessions_right} and refunds.`,
      fr:
        'Créez une nouvelle clé dans le tableau de bord, puis remplacez-la ici. Une clé ' +
        'restreinte doit pouvoir lire les soldes, et lire et écrire les remboursements et ' +
        `« ${sessions_right} ».`,
    })
  }
  const isLive = fields['livemode'] === true
  if (isLive === (environment === 'LIVE')) return pass(what, currenciesIn(fields))
  return fail(what, isLive ? liveKeyIn(environment) : testKeyIn(environment), {
    en: 'Take the key of the other mode.',
    fr: 'Prenez la clé de l’autre mode.',
  })
}

const liveKeyIn = (environment: Account['environment']): Text => ({
  en: `a key of live mode in ${environment}`,
  fr: `une clé du mode réel en ${environment}`,
})

const testKeyIn = (environment: Account['environment']): Text => ({
  en: `a key of test mode in ${environment}`,
  fr: `une clé du mode test en ${environment}`,
})

function currenciesIn(fields: Fields): Text {
  const available = fields['available']
  const codes = (Array.isArray(available) ? available : []).map((one) => wordIn(one, 'currency'))
  const all = codes.join(', ')
  if (all === '') return { en: 'settles in nothing yet', fr: 'aucune devise pour l’instant' }
  return { en: `settles in ${all}`, fr: `devises : ${all}` }
}

/** A sum below zero, which may be, is left out. */
const walletFindings = (result: CallResult): Finding[] =>
  result.is === 'answered' && result.status === 200
    ? balancesIn(result.body).map(walletFinding)
    : []

/** "No such page" proves address, version and the right to ask at once. */
function questionFinding(result: CallResult): Finding {
  const what = { en: 'question about a page', fr: 'question sur une page' }
  if (result.is !== 'answered') {
    return fail(what, answerText(result), { en: 'Compare base_url.', fr: 'Vérifiez base_url.' })
  }
  const { code, message } = errorIn(readFields(result.body))
  if (result.status === 404 && code === 'resource_missing') {
    return pass(what, {
      en: `not found, as version ${api_version}`,
      fr: `introuvable, en version ${api_version}`,
    })
  }
  return fail(what, statusText(result.status, `${code} ${message}`), {
    en: `The key must read and write ${sessions_right}.`,
    fr: `La clé doit pouvoir lire et écrire « ${sessions_right} ».`,
  })
}

/** Of the endpoints that lead here. */
function eventsFinding({ code }: Account, result: CallResult): Finding {
  const what = { en: 'events', fr: 'événements' }
  const path = `/callbacks/${code}`
  const list = result.is === 'answered' ? readList(readFields(result.body)) : undefined
  if (list === undefined) return warn(what, { en: 'not shown', fr: 'non affichés' }, eventsFix)
  const ours = list.data.filter(
    (one) => wordIn(one, 'status') === 'enabled' && isAt(one['url'], path),
  )
  const enabled = ours.flatMap((one) =>
    Array.isArray(one['enabled_events']) ? one['enabled_events'] : [],
  )
  const missing = wantedEvents.filter((one) => !enabled.includes(one) && !enabled.includes('*'))
  if (missing.length === 0) return pass(what, { en: 'all that are used', fr: 'tous ceux utiles' })
  const names = missing.join(', ')
  return warn(
    what,
    { en: `missing: ${names}`, fr: `manquent : ${names}` },
    {
      en: `In the dashboard under Webhooks: add them to an endpoint at PUBLIC_URL and ${path}.`,
      fr:
        'Dans le tableau de bord, rubrique Webhooks : ajoutez-les au point de terminaison situé ' +
        `à PUBLIC_URL suivi de ${path}.`,
    },
  )
}

const eventsFix: Text = {
  en: 'Let the key read webhook endpoints, or look in the dashboard under Webhooks.',
  fr:
    'Autorisez la clé à lire les points de terminaison webhook, ou regardez dans le tableau de ' +
    'bord, rubrique Webhooks.',
}

const isAt = (url: unknown, path: string): boolean =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).pathname.replace(/\/$/, '') === path
