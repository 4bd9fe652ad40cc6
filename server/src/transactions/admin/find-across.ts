// A transaction of any merchant, for what staff do in other folders. The SQL is in `store.ts`.

export { findAcross, type StaffTransaction } from './store.ts'
