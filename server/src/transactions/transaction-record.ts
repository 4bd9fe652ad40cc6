// The transactions' public reads: other folders look at a transaction through these; the SQL itself
// is in `store.ts`.

export {
  type AttemptContext,
  findAttemptContext,
  findTransaction,
  isTransactionOfAnyone,
  listTransactionsOf,
  type MarkedTransaction,
} from './store.ts'
