// What `gateway check` finds of how an account has fared: the last success, the last callback, and
// how many payments were called back. It reads only what is in the database.

import { countCalledBack, listSeen, listSeenCallbacks } from '../attempts/seen-statements.ts'
import type { FoundGateway } from '../gateways/account-store.ts'
import { listSeenAlarms, type RefusedCall, type SeenAlarm } from '../gateways/alarm-statements.ts'
import { named, pass, warn } from '../gateways/findings.ts'
import type { Finding } from '../gateways/gateway.ts'
import { findRuleLook } from '../gateways/operator-rule-statements.ts'
import { type Db, isLockTimeout, isTooSlow, type Sql } from '../platform/db.ts'
import { Refusal, type Text } from '../platform/errors.ts'
import { turnsOf } from '../platform/turns.ts'
import { limitFindings } from './limit-findings.ts'

const seen_days = 180
const counted_days = 7
/** Fewer say nothing about an operator's callbacks. */
const telling_least = 5

const kinds = {
  COLLECT: { en: 'payment', fr: 'paiement' },
  PAY_OUT: { en: 'payout', fr: 'versement' },
  REFUND: { en: 'refund', fr: 'remboursement' },
  REVERSAL: { en: 'reversal', fr: 'reprise de versement' },
} as const satisfies Record<string, Text>

type Watched = Pick<FoundGateway, 'id' | 'code'>

export async function usageFindings(db: Sql, { id, code }: Watched): Promise<readonly Finding[]> {
  // One after the other: they read whole tables, and take one connection for that.
  const seen = await listSeen(db, id, seen_days)
  const callbacks = await listSeenCallbacks(db, id, seen_days)
  const counted = await countCalledBack(db, id, counted_days)
  const alarms = await listSeenAlarms(db, id)
  const limits = await findRuleLook(db, id)
  const refused = alarms.filter(isRefusal)
  const [apart, odd, back] = (['CLOCK', 'CONTRADICTION', 'GIVEN_BACK'] as const).map((kind) =>
    alarms.find((one) => one.of === kind),
  )
  const successes = [...seen].map(([kind, { finished_at }]) => at(kinds[kind], finished_at))
  const last = [...callbacks].map(([proof, { created_at }]) => at(named(proof), created_at))
  const { ended, called_back } = counted
  const isSilent = ended >= telling_least && called_back === 0
  const failing = ended >= telling_least && successes.length === 0
  return [
    finding(lastSuccess, listed(successes), failing && lookText(code)),
    finding(lastCallback, listed(last), isSilent && probeText(code)),
    finding(calledBack, shareOf(counted), isSilent && probeText(code)),
    finding(refusals, refusedText(refused), refused.length > 0 && mendText(code)),
    finding(clocks, apartText(apart), apart !== undefined && clockText),
    finding(contradictions, moneyText(odd), odd !== undefined && contradictionText),
    finding(givenBack, moneyText(back), back !== undefined && givenBackText),
    ...limitFindings(limits, Date.now()),
  ]
}

const lastSuccess: Text = { en: 'last success', fr: 'dernier succès' }
const lastCallback: Text = { en: 'last callback', fr: 'dernière notification' }
const calledBack: Text = { en: 'payments called back', fr: 'paiements notifiés' }

const refusals: Text = { en: 'refusals of us', fr: 'refus à notre égard' }

const calls = {
  CREATE: { en: 'sent payments or payouts', fr: 'paiements ou versements envoyés' },
  ASK: { en: 'questions', fr: 'interrogations' },
  REFUND: { en: 'refunds', fr: 'remboursements' },
} as const satisfies Record<RefusedCall, Text>

type Refused = SeenAlarm & Readonly<{ of: RefusedCall }>

const isRefusal = (alarm: SeenAlarm): alarm is Refused => Object.hasOwn(calls, alarm.of)

const contradictions: Text = { en: 'contradictions', fr: 'propos contradictoires' }

const contradictionText: Text = {
  en: 'Nothing is booked by them: ask the operator what became of each, and keep its answer.',
  fr:
    'Ils ne donnent lieu à aucune écriture : demandez à l’opérateur ce qu’il est advenu de ' +
    'chacun, et gardez sa réponse.',
}

const givenBack: Text = {
  en: 'given back in part at the operator',
  fr: 'rendu en partie chez l’opérateur',
}

const givenBackText: Text = {
  en:
    'It does not say how much, and nothing is booked: look on its dashboard, then have an ' +
    'adjustment made by two of the staff. Refunds are made here, not there.',
  fr:
    'Il n’en dit pas le montant, et aucune écriture n’est passée : regardez sur son tableau de ' +
    'bord, puis faites faire une régularisation par deux membres de l’équipe. Un remboursement ' +
    'se fait ici, pas là-bas.',
}

/** With the latest references there. */
function moneyText(alarm: SeenAlarm | undefined): Text {
  if (alarm === undefined) return { en: 'none within 7 days', fr: 'rien depuis 7 jours' }
  const { count, last_at, about } = alarm
  const last = at({ en: 'last', fr: 'dernière fois' }, last_at)
  const which = about.join(', ')
  return { en: `${count}, ${last.en}: ${which}`, fr: `${count}, ${last.fr} : ${which}` }
}

const clocks: Text = { en: 'clocks so far', fr: 'horloges jusqu’ici' }

const clockText: Text = {
  en: 'Set the database’s clock by NTP; if it is right, write to the operator.',
  fr: 'Réglez l’horloge de la base de données par NTP ; si elle est juste, écrivez à l’opérateur.',
}

/** One stands for a minute of answers, in each process. */
function apartText(apart: SeenAlarm | undefined): Text {
  if (apart === undefined) {
    return { en: 'not far apart within 7 days', fr: 'pas d’écart notable depuis 7 jours' }
  }
  const last = at({ en: 'last', fr: 'dernière fois' }, apart.last_at)
  return {
    en: `too far from the operator’s: ${apart.count}, ${last.en}`,
    fr: `trop loin de celle de l’opérateur : ${apart.count}, ${last.fr}`,
  }
}

/** Of questions one stands for a minute of them. */
function refusedText(refused: readonly Refused[]): Text {
  if (refused.length === 0) return { en: 'none within 7 days', fr: 'aucun depuis 7 jours' }
  const each = refused.map(({ of, count, last_at }) => {
    const last = at({ en: 'last', fr: 'dernier' }, last_at)
    return {
      en: `${calls[of].en}: ${count}, ${last.en}`,
      fr: `${calls[of].fr} : ${count}, ${last.fr}`,
    }
  })
  return { en: each.map(({ en }) => en).join('; '), fr: each.map(({ fr }) => fr).join(' ; ') }
}

function mendText(code: string): Text {
  const command = `npm run cli -- gateway rotate ${code}`
  return {
    en: `Compare secrets, rights and our addresses at the operator, then: ${command}`,
    fr: `Vérifiez chez l’opérateur secrets, droits et adresses, puis : ${command}`,
  }
}

const looks = turnsOf({ at_once: 1, waiting: 20, wait_ms: 10_000 })

/**
 * The same where staff ask over HTTP: on the connections of lists, one account at a time, so that
 * no payment waits for it. What cannot be read in time keeps nobody from the rest of the check.
 */
export async function usageInTime(reads: Db, account: Watched): Promise<readonly Finding[]> {
  try {
    return await looks('', () => usageFindings(reads, account))
  } catch (error) {
    if (!(error instanceof Refusal || isTooSlow(error) || isLockTimeout(error))) throw error
    return [unreadFinding(`npm run cli -- gateway check ${account.code}`)]
  }
}

const unreadFinding = (command: string): Finding =>
  warn(
    { en: 'usage', fr: 'usage du compte' },
    { en: 'could not be read in time', fr: 'n’a pas pu être lu à temps' },
    {
      en: `It takes as long as it takes: ${command}`,
      fr: `Sans limite de temps : ${command}`,
    },
  )

const listed = (all: readonly Text[]): Text =>
  all.length === 0
    ? { en: `none within ${seen_days} days`, fr: `rien depuis ${seen_days} jours` }
    : { en: all.map(({ en }) => en).join(', '), fr: all.map(({ fr }) => fr).join(', ') }

/** To the minute, in UTC. */
function at(what: Text, moment: Date): Text {
  const [day = '', time = ''] = moment.toISOString().slice(0, 16).split('T')
  const date = { en: day, fr: day.split('-').reverse().join('/') }
  return {
    en: `${what.en} ${date.en} ${time} UTC`,
    fr: `${what.fr} le ${date.fr} à ${time} UTC`,
  }
}

type Counted = Awaited<ReturnType<typeof countCalledBack>>

function shareOf({ ended, called_back, decided }: Counted): Text {
  if (ended === 0) {
    return {
      en: `none has ended within ${counted_days} days`,
      fr: `aucun ne s’est terminé depuis ${counted_days} jours`,
    }
  }
  const percent = (part: number) => Math.round((100 * part) / ended)
  const [called, settled] = [percent(called_back), percent(decided)]
  return {
    en:
      `${called_back} (${called}%) of ${ended} that ended within ${counted_days} days; ` +
      `${decided} (${settled}%) were decided by the callback itself`,
    fr:
      `${called_back} (${called} %) sur ${ended}, terminés depuis ${counted_days} jours ; ` +
      `${decided} (${settled} %) tranchés par la notification elle-même`,
  }
}

function lookText(code: string): Text {
  const command = `npm run cli -- gateway steps ${code}`
  return {
    en: `See how they have failed: ${command}`,
    fr: `Voyez comment ils ont échoué : ${command}`,
  }
}

function probeText(code: string): Text {
  const command = `npm run cli -- gateway check ${code} --probe-callback`
  return {
    en: `Compare the callback address at the operator, then: ${command}`,
    fr: `Vérifiez l’adresse des notifications chez l’opérateur, puis : ${command}`,
  }
}

/** `fix`: what to do, or nothing. */
const finding = (what: Text, found: Text, fix: Text | false): Finding =>
  fix === false ? pass(what, found) : warn(what, found, fix)
