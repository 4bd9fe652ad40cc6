// What a person who is signed in does with a code of the second factor: the try is counted, then
// the code is taken and the work done in one transaction, so that a code is spent only on what was
// done with it.

import type { Keyring } from '../../platform/crypto/seal.ts'
import { type Db, inTransaction, type Tx } from '../../platform/db.ts'
import { invalid, refuse } from '../../platform/errors.ts'
import type { Person } from '../../platform/http/route.ts'
import { peopleErrors } from '../errors.ts'
import { type CodeLimits, countCodes, forgiveCodes } from './count-codes.ts'
import { type CodeResult, takeCode } from './take-code.ts'

export type CodeDeps = Readonly<{ db: Db; keyring: Keyring; limits: CodeLimits }>

export type GoodCode = Exclude<CodeResult, 'WRONG' | 'NOT_ENROLLED'>

export const wrongCode = () =>
  invalid('code', {
    en: 'This code is wrong, too old, or already used. Enter the one shown now.',
    fr: 'Ce code est incorrect, trop ancien ou déjà utilisé. Saisissez celui affiché maintenant.',
  })

/** Refuses with `rate_limited`, `totp_not_enrolled`, or a 400 on `code`. */
export async function withCode<T>(
  deps: CodeDeps,
  { person_id, ip }: Pick<Person, 'person_id' | 'ip'>,
  code: string,
  work: (tx: Tx, taken: GoodCode) => Promise<T>,
): Promise<T> {
  const { db, keyring } = deps
  const throttle = { ...deps, macs: keyring }
  await countCodes(throttle, { person_id, ip })
  const done = await inTransaction(db, async (tx) => {
    const taken = await takeCode(tx, keyring, { person_id, code })
    if (taken === 'NOT_ENROLLED') throw refuse(peopleErrors.totp_not_enrolled)
    if (taken === 'WRONG') throw wrongCode()
    return work(tx, taken)
  })
  await forgiveCodes(throttle, person_id)
  return done
}
