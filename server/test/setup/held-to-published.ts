// A caller whose every answer is checked against the published interface: a status, a field or a
// value that OpenAPI does not know fails the test that met it.

import type { Reply, Shop } from '../harness.ts'
import { readPublished } from '../published.ts'

/** The same caller; `call`, `get` and `post` throw for an answer that is not as published. */
export async function heldToPublished<Caller extends Shop>(caller: Caller): Promise<Caller> {
  const published = await readPublished()
  const hold = (method: string, path: string, reply: Reply): Reply => {
    const operation = published.operationAt(method, path)
    if (operation === undefined) throw new Error(`${method} ${path} is not published`)
    const faults = published.faultsOf(operation, reply)
    if (faults.length > 0) throw new Error(`${operation.name}: ${faults.join('; ')}`)
    return reply
  }
  return {
    ...caller,
    call: async (method, path, init) => hold(method, path, await caller.call(method, path, init)),
    get: async (path, headers) => hold('GET', path, await caller.get(path, headers)),
    post: async (path, body, headers) => hold('POST', path, await caller.post(path, body, headers)),
  }
}

/** Throws unless an answer that is a file has the headers and the type that are published. */
export async function holdFile(path: string, { status, headers, ok }: Response): Promise<void> {
  const { operationAt, faultsOf } = await readPublished()
  const operation = operationAt('GET', path)
  if (operation === undefined) throw new Error(`GET ${path} is not published`)
  const faults = ok ? faultsOf(operation, { status, headers, body: undefined }) : []
  if (faults.length > 0) throw new Error(faults.join('; '))
}
