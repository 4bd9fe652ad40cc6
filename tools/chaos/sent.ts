// What the merchants have sent and were answered: the side of the books that no process of the app
// can lose. The audit compares everything with it.

import { type Answer, paymentIn } from './caller.ts'
import { textAt } from './json.ts'
import type { Ending, Payer } from './payers.ts'

/** The content of a final answer, so that another one under the same key can be compared. */
export type KeyAnswer = Readonly<{ status: number; text: string; payment: string }>

/** One intention to move money: its key, and every final answer that it got. */
export type Keyed = { readonly key: string; readonly answers: KeyAnswer[] }

/** Money that a merchant wants to give back; its answers name the refund. */
export type SentRefund = Keyed &
  Readonly<{
    /** As it is asked for, in francs; absent: all that is left. */
    amount?: string
    /** What its operator does of it. */
    reason: string
    ends: Ending
  }> & {
    /** Nothing was left to give back, or the balance did not cover it. */
    was_refused: boolean
    was_success: boolean
  }

/** A payment as its merchant knows it. */
export type Sent = Keyed &
  Readonly<{
    merchant_id: string
    amount: string
    payer: Payer
    retries: Keyed[]
    codes: Keyed[]
    refunds: SentRefund[]
  }> & {
    /** An answer reported success: it can never be otherwise again. */
    was_success: boolean
    /** Answers that no call should get. */
    readonly strange: string[]
  }

export function newSent(key: string, merchant_id: string, amount: string, payer: Payer): Sent {
  const own = { key, merchant_id, amount, payer }
  const calls = { answers: [], retries: [], codes: [], refunds: [] }
  return { ...own, ...calls, was_success: false, strange: [] }
}

export function note(keyed: Keyed, answer: Answer): void {
  const { status, text } = answer
  keyed.answers.push({ status, text, payment: paymentIn(answer) })
}

export const statusIn = ({ json }: Answer): string => textAt(json, 'data', 'status')
