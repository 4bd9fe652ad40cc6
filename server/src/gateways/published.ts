// What some operators publish of themselves, beside payments: which sums they take, and which
// networks work just now. Abilities of the port that an adapter may have. Law: what is published
// orders routes and narrows what is sent; it never says what became of a payment.

import type { Direction, Gateway } from './gateway.ts'

/** What it takes of one payment. Sums are hundredths of `currency`, as they are sent. */
export type AmountRule = Readonly<{
  network_code: string
  direction: Direction
  currency: string
  /** Null: it names no such limit. */
  least: bigint | null
  most: bigint | null
  /** Sums are a multiple of it; null: it does not say. */
  step: bigint | null
  /** False: it shows limits that are no sums above zero; they are not among these then. */
  is_readable: boolean
}>

export interface PublishesRules extends Gateway {
  /** Of the networks that we know; undefined when they could not be read. */
  rules(): Promise<readonly AmountRule[] | undefined>
}

export type OperatorState = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'

export type NetworkState = Readonly<{
  network_code: string
  direction: Direction
  /** `CLOSED`: it refuses all; `DELAYED`: it takes them, and they take longer. */
  state: OperatorState
}>

export interface PublishesAvailability extends Gateway {
  /** Of the networks that we know; undefined when they could not be read. */
  availability(): Promise<readonly NetworkState[] | undefined>
}

export const publishesRules = (gateway: Gateway): gateway is PublishesRules => 'rules' in gateway
export const publishesAvailability = (gateway: Gateway): gateway is PublishesAvailability =>
  'availability' in gateway
