// How the sandbox operator is started as a process: by its source. A module of its own, because a
// bundle of the service replaces it (`server/test/setup/bundle-main.ts`).

import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const main = fileURLToPath(new URL('../../../simulator/src/main.ts', import.meta.url))

/** What Node is given to run it. */
export function operatorProgram(): readonly string[] {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return ['--import', pathToFileURL(tsx).href, main]
}
