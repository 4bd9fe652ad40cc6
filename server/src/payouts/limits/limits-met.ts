// What a payout meets before it is made: the limits of the whole merchant and of the calling key,
// and whether the same sum went to the same phone a moment ago.

export { findRepeated, listLimitsMet, type Repeated } from './store.ts'
