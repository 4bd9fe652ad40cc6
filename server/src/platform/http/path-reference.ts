// A transaction's reference (`TXN-…`) where a merchant's path has its id (contract 8.18): it is
// replaced by the id before anything else sees it, so that a handler and an idempotency key know
// one name only. Staff's paths take ids alone.

import { refuse } from '../errors.ts'
import type { Caller, Input } from './route.ts'
import { transportErrors } from './transport-errors.ts'

/** The id of the caller's own transaction in the caller's environment. */
export type FindByReference = (
  caller: Pick<Caller, 'merchant_id' | 'environment'>,
  reference: string,
) => Promise<string | undefined>

/** The name of the part of a route's path that is a transaction's id. */
export const transactionPart = (path: string): string | undefined =>
  /^\/(?:sandbox\/)?(?:transactions|payments|payouts)\/:(\w+)\//.exec(path)?.[1]

/** The parts of the path, with the id. Throws `not_found` for a reference that is not theirs. */
export async function withTransactionId(
  path: string,
  { caller, params }: Pick<Input, 'caller' | 'params'>,
  findByReference: FindByReference,
): Promise<Input['params']> {
  const name = transactionPart(path)
  const sent = name === undefined ? undefined : params[name]
  if (name === undefined || !sent?.startsWith('TXN-')) return params
  const id = await findByReference(caller, sent)
  if (id === undefined) throw refuse(transportErrors.not_found)
  return { ...params, [name]: id }
}
