// Whose a number is, by the operator's own records: an ability of the port that an adapter may
// have, and that an account must be allowed. Law: it is a courtesy to whoever pays out, and decides
// nothing.

import type { Gateway } from './gateway.ts'

export type Holder = Readonly<{
  /** The operator has an account at this number that can be paid to. */
  active: boolean
  /** As the operator writes it; absent: it does not say. */
  name?: string
}>

export interface LooksUpHolder extends Gateway {
  /** Undefined: the operator did not say. Never throws. */
  holder(msisdn: string): Promise<Holder | undefined>
}

export const looksUpHolder = (gateway: Gateway): gateway is LooksUpHolder => 'holder' in gateway
