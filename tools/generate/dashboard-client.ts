// The dashboard's types, from the document that the routes make: a field that the API has lost is
// an error of the compiler there.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import type { Artifact } from './artifact.ts'

const path = 'dashboard/src/api/types.gen.ts'

/** `document`: server/openapi.json as it should be now. */
export async function dashboardTypes(document: string): Promise<Artifact> {
  const folder = await mkdtemp(join(tmpdir(), 'pirogue-types-'))
  try {
    await createClient({
      input: ofMembers(JSON.parse(document)),
      output: { path: folder, entryFile: false },
      plugins: ['@hey-api/typescript'],
      parser: { filters: { orphans: false } },
      logs: { level: 'silent', file: false },
    })
    const text = await readFile(join(folder, 'types.gen.ts'), 'utf8')
    return { path, render: () => text }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Operation = { parameters?: { $ref?: string }[]; responses?: Record<string, Answer> }
type Answer = { headers?: object }
type Document = {
  webhooks?: object
  paths: Record<string, Record<string, Operation>>
  components: { schemas: object }
}

/**
 * What a merchant's members can call, and what it answers when it succeeds: neither staff's area
 * nor webhooks, and no refusals, which all have the shapes that `call.ts` reads.
 */
function ofMembers({ webhooks: _, paths, components, ...document }: Document): Document {
  const own = Object.entries(paths).filter(([path]) => !path.startsWith('/admin/'))
  for (const operation of own.flatMap(([, operations]) => Object.values(operations))) {
    const { parameters = [], responses = {} } = operation
    // Headers are set by `call.ts`, for every call alike.
    operation.parameters = parameters.filter(({ $ref }) => $ref === undefined)
    const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    operation.responses = Object.fromEntries(good.map(([status, of]) => [status, bare(of)]))
  }
  const { schemas } = components
  return { ...document, paths: Object.fromEntries(own), components: { schemas } }
}

const bare = ({ headers: _, ...response }: Answer): Answer => response
