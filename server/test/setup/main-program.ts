// What starts the service as a process in a test: `main.ts` as one file where the run has made one
// (`bundle-main.ts`), else the source. `npm start` itself is tested as it is.

import { fileURLToPath } from 'node:url'

export const serviceSource = fileURLToPath(new URL('../../src/app/main.ts', import.meta.url))

/** Tells every process of a run where its one file is. */
export const bundleVariable = 'PIROGUE_TEST_BUNDLE'

/** What Node is given to run the service. */
export function serviceProgram(): readonly string[] {
  const bundle = process.env[bundleVariable]
  return bundle === undefined ? ['--import', 'tsx', serviceSource] : [bundle]
}
