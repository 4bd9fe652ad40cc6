// What anybody may ask of the operator, as a closed list: each ending of a number, with what the
// operator then does to a collection, a payout and a refund. Law: it is read from the scripts that
// are played, so it cannot differ from them; only the sentences are written here.

import { scriptOf } from './magic-numbers.ts'
import type { Ending, Kind } from './order.ts'

type Text = Readonly<{ en: string; fr: string }>

/** A state that the order takes, and the operator's own word for why. */
export type PlayedStep = Readonly<{ status: Ending; reason?: string | undefined }>

export type PlayedOutcome = Readonly<{
  kind: Kind
  /** The last two digits that choose it. */
  ending: string
  /** In their order; none: it waits until somebody decides. */
  steps: readonly PlayedStep[]
  text: Text
}>

/** The ending that stands for every other one: all goes well. */
export const ordinary_ending = '10'

const texts: Readonly<Record<string, Text>> = {
  [ordinary_ending]: {
    en: 'Succeeds after about a second. Every other ending does the same.',
    fr: 'Réussit au bout d’une seconde environ. Toute autre terminaison fait de même.',
  },
  '01': {
    en: 'Fails after a second: not enough money.',
    fr: 'Échoue au bout d’une seconde : solde insuffisant.',
  },
  '02': {
    en: 'Fails after a second: not approved.',
    fr: 'Échoue au bout d’une seconde : pas approuvé.',
  },
  '03': {
    en: 'Refused at once: no account has this number.',
    fr: 'Refusé tout de suite : aucun compte n’a ce numéro.',
  },
  '04': {
    en: 'Stays pending until you decide how it ends.',
    fr: 'Reste en attente jusqu’à ce que vous décidiez de sa fin.',
  },
  '05': {
    en: 'Taken, but the answer is lost: it has succeeded when asked about.',
    fr: 'Accepté, mais la réponse se perd : il a réussi quand on le demande.',
  },
  '06': {
    en: 'The first route is down. A payment or payout succeeds by the second; a refund has none.',
    fr:
      'La première route est en panne. Un paiement ou un versement réussit par la seconde ; un ' +
      'remboursement n’en a pas.',
  },
  '07': {
    en: 'Succeeds; the operator says so three times, and late.',
    fr: 'Réussit ; l’opérateur le dit trois fois, et tard.',
  },
  '08': {
    en: 'Succeeds; the operator says so before it answers the call.',
    fr: 'Réussit ; l’opérateur le dit avant de répondre à l’appel.',
  },
  '09': {
    en: 'Fails; a second later the operator says that it has succeeded after all.',
    fr: 'Échoue ; une seconde plus tard, l’opérateur dit qu’il a réussi malgré tout.',
  },
}

const kinds: readonly Kind[] = ['COLLECTION', 'PAYOUT', 'REFUND']

/** Every kind with every ending; what goes well comes first. */
export const playedOutcomes = (): readonly PlayedOutcome[] =>
  kinds.flatMap((kind) =>
    Object.entries(texts)
      .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
      .map(([ending, text]) => ({ kind, ending, steps: stepsOf(kind, ending), text })),
  )

const rankOf = (ending: string): number => (ending === ordinary_ending ? 0 : Number(ending))

/** What one operator does not take now goes to the other; a refund cannot. */
function stepsOf(kind: Kind, ending: string): readonly PlayedStep[] {
  const order = { kind, msisdn: ending, description: `sandbox:${ending}` }
  const first = scriptOf({ misbehaves: false }, { ...order, operator: 'a' })
  const isDown = first.refusal?.code === 'OPERATOR_UNAVAILABLE' && kind !== 'REFUND'
  const { refusal, turns } = isDown
    ? scriptOf({ misbehaves: false }, { ...order, operator: 'b' })
    : first
  return refusal === undefined
    ? turns.map(({ status, reason }) => ({ status, reason }))
    : [{ status: 'FAILED', reason: refusal.code }]
}
