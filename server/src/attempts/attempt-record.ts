// The statements about attempts that other folders use: reading one, and what its own purpose notes
// about it. The engine in this folder has its own in `store.ts`, where the SQL itself is.

export {
  claimConfirm,
  countWrongOtp,
  findAttempt,
  findOpenAttemptOf,
  freeLease,
  listAttemptsOf,
  queryDaily,
} from './store.ts'
