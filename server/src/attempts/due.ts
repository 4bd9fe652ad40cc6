// Which attempts are due for a query. They are read without a lock and claimed one by one.

export { type DueAttempt, listAbandonedAttempts, listDueAttempts, putOff } from './store.ts'
