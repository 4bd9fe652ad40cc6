// `server/openapi.json`: the interface as served, in an order that does not change when a route is
// moved within the source.

import { openApiDocument } from '../../server/src/app/openapi-document.ts'
import type { Artifact } from './artifact.ts'

type Named = Readonly<Record<string, unknown>>

export async function openApiJson(): Promise<Artifact> {
  const document = await openApiDocument()
  const components = Object.entries(isNamed(document['components']) ? document['components'] : {})
  const ordered = {
    ...document,
    paths: byName(document.paths),
    components: Object.fromEntries(
      components.map(([kind, named]) => [kind, isNamed(named) ? byName(named) : named]),
    ),
  }
  const text = `${JSON.stringify(ordered, null, 2)}\n`
  return { path: 'server/openapi.json', render: () => text }
}

const isNamed = (value: unknown): value is Named => typeof value === 'object' && value !== null

/** By code point, which no locale changes. */
function byName(named: Named): Named {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}
