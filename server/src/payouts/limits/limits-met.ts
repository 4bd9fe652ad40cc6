// The limits that a payout meets: of the whole merchant, and of the key that calls.

export { listLimitsMet } from './store.ts'
