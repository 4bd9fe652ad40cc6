// Which attempts are due to be asked about: read without a lock, claimed one by one when asked.

export { type DueAttempt, listAbandonedAttempts, listDueAttempts, putOff } from './store.ts'
