// A reference where a path has an id (contract 8.18): it is replaced by the id before anything else
// sees it, so that a handler and an idempotency key know one name only. Which paths, and whose
// references, is for the folder that makes them to say.

import { refuse } from '../errors.ts'
import type { Caller, Input } from './route.ts'
import { transportErrors } from './transport-errors.ts'

export type PathReference = Readonly<{
  /** The name of the part of a route's path that may be a reference; undefined where none may. */
  partOf(path: string): string | undefined
  /** References begin so, and ids never do. */
  prefix: string
  /** What the published document says of such a part. */
  meaning: string
  /** The id of the caller's own record in the caller's environment. */
  find(
    caller: Pick<Caller, 'merchant_id' | 'environment'>,
    reference: string,
  ): Promise<string | undefined>
}>

/** The parts of the path, with the id. Throws `not_found` for a reference that is not theirs. */
export async function withIds(
  path: string,
  { caller, params }: Pick<Input, 'caller' | 'params'>,
  reference: PathReference | undefined,
): Promise<Input['params']> {
  const name = reference?.partOf(path)
  if (reference === undefined || name === undefined) return params
  const sent = params[name]
  if (!sent?.startsWith(reference.prefix)) return params
  const id = await reference.find(caller, sent)
  if (id === undefined) throw refuse(transportErrors.not_found)
  return { ...params, [name]: id }
}
