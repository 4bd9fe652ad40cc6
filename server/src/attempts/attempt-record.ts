// The attempts' public statements that stand alone: other folders record what happened to an
// attempt through these; the SQL itself is in `store.ts`.

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
