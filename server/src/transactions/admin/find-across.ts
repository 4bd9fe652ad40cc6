// A transaction of any merchant, for acts of staff in other folders; the SQL is in `store.ts`.

export { findAcross, type StaffTransaction } from './store.ts'
