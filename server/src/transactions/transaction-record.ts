// The transactions' public reads, for other folders. The SQL itself is in `store.ts`.

export {
  findIdByReference,
  findTransaction,
  findTransactionContext,
  listTransactionsOf,
  type MarkedTransaction,
  type TransactionContext,
  type TransactionOwner,
} from './store.ts'
