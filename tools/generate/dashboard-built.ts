// The dashboard as browsers get it. It is generated and committed (docs/decisions/0044): whoever
// installs the service needs no tool to build it, and serves the bytes that were reviewed.

import { resolve } from 'node:path'
import { build } from 'vite'
import type { Artifact } from './artifact.ts'

export const builtFolder = 'dashboard/built'

const configFile = resolve(import.meta.dirname, '../../dashboard/vite.config.ts')

export async function dashboardBuilt(): Promise<Artifact[]> {
  const made = await inProduction(() =>
    build({ configFile, logLevel: 'error', build: { write: false } }),
  )
  const outputs = [made].flat().flatMap((one) => ('output' in one ? one.output : []))
  return outputs.map((file) => {
    const content = file.type === 'chunk' ? file.code : file.source
    const text = typeof content === 'string' ? content : Buffer.from(content).toString('utf8')
    return { path: `${builtFolder}/${file.fileName}`, render: () => text }
  })
}

/** Packages have another form for development: whatever runs this, the bytes are the same. */
async function inProduction<T>(make: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  try {
    return await make()
  } finally {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  }
}
