// What we hold at an operator: one wallet for payments and payouts alike, or one for each. An
// ability of the port that an adapter may have, and what a check says of it. Law: a wallet's
// country is the operator's own word; where it has none, nobody guesses.

import type { Text } from '../platform/errors.ts'
import { amountText, pass } from './findings.ts'
import type { Direction, Finding, Gateway } from './gateway.ts'

export const bothPurposes = ['COLLECT', 'DISBURSE'] as const

/** What is booked there: what payers pay, what we pay out, or both. */
export type WalletPurposes = readonly ['COLLECT'] | readonly ['DISBURSE'] | typeof bothPurposes

export type WalletBalance = Readonly<{
  /** The operator's own name for it: a product, a country. */
  wallet: string
  currency: string
  /** Hundredths. */
  amount: bigint
  purposes: WalletPurposes
  /** ISO 3166-1 alpha-2, where the operator names one. */
  country?: string
}>

export interface ReportsBalance extends Gateway {
  balances(): Promise<readonly WalletBalance[]>
}

export const reportsBalance = (gateway: Gateway): gateway is ReportsBalance => 'balances' in gateway

const purposeTexts = {
  COLLECT: { en: 'for payments', fr: 'pour les paiements' },
  DISBURSE: { en: 'for payouts', fr: 'pour les versements' },
} as const satisfies Record<WalletPurposes[number], Text>

const forBoth: Text = {
  en: 'for payments and payouts',
  fr: 'pour les paiements et les versements',
}

const notRead: Text = { en: 'purposes not read yet', fr: 'usage pas encore lu' }

/** What a wallet is used for, behind what it holds; none: its adapter has not said so yet. */
export function purposesText([purpose, other]: readonly Direction[]): Text {
  if (purpose === undefined) return notRead
  return other === undefined ? purposeTexts[purpose] : forBoth
}

/** What one wallet holds, and what it is used for. */
export function walletFinding({
  wallet,
  currency,
  amount,
  purposes,
  country,
}: WalletBalance): Finding {
  const where = country === undefined || wallet === country ? wallet : `${wallet} (${country})`
  const [sum, use] = [amountText(amount), purposesText(purposes)]
  return pass(
    { en: `balance of ${where} ${currency}`, fr: `solde de ${where} ${currency}` },
    { en: `${sum.en} ${currency}, ${use.en}`, fr: `${sum.fr} ${currency}, ${use.fr}` },
  )
}
