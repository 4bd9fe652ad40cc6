// The transactions' public reads, for other folders. The SQL itself is in `store.ts`.

export {
  findTransaction,
  findTransactionContext,
  listTransactionsOf,
  type MarkedTransaction,
  type TransactionContext,
} from './store.ts'
