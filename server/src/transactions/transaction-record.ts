// The transactions' public reads, for other folders. The SQL itself is in `store.ts`.

export {
  type AttemptContext,
  findAttemptContext,
  findIdByReference,
  findTransaction,
  isTransactionOfAnyone,
  listTransactionsOf,
  type MarkedTransaction,
  type TransactionOwner,
} from './store.ts'
