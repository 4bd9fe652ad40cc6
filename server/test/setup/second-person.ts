// What one member of staff has proposed, confirmed by another: for stories that are about what
// comes after it.

import type { Json, Reply, TestApp } from '../harness.ts'

/** Takes the answer 202; returns the proposal in its new state. */
export async function confirmedByAnother(app: TestApp, proposed: Reply): Promise<Json> {
  if (proposed.status !== 202) {
    throw new Error(`not proposed: ${proposed.status} ${JSON.stringify(proposed.body)}`)
  }
  const other = await app.staff()
  const done = await other.post(`/admin/proposals/${proposed.data.id}/confirm/`)
  if (done.status !== 200) throw new Error(`${done.status}: ${JSON.stringify(done.body)}`)
  return { ...done.data, by: other }
}
