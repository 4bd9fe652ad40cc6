// The transactions' public reads, for other folders. The SQL itself is in `store.ts`.

export {
  type AttemptContext,
  findAttemptContext,
  findTransaction,
  listTransactionsOf,
  type MarkedTransaction,
} from './store.ts'
