// The statements about attempts that other folders use to record what happened to one. The SQL
// itself is in `store.ts`.

export {
  claimConfirm,
  claimQuery,
  claimResend,
  countWrongOtp,
  findAttempt,
  findOpenAttemptOf,
  freeLease,
  insertDirectoryRow,
  listAttemptsOf,
  noteNotFound,
  noteTaken,
  queryDaily,
  restAttempt,
  wakeAttempt,
} from './store.ts'
