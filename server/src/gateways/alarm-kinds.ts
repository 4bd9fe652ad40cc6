// The kinds of alarm that an answer of an operator may raise beside what it says.

/** What it refuses us for, whatever we ask: who we are there, or how we are set up. */
export type RefusalKind = 'CREDENTIAL' | 'CONFIGURATION'

/**
 * What people must see of the money. `CONTRADICTION`: it contradicts itself, or what was asked.
 * `GIVEN_BACK`: a part was given back at the operator, without us, and it does not say how much.
 */
export type MoneyAlarmKind = 'CONTRADICTION' | 'GIVEN_BACK'
