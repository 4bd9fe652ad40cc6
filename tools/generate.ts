// `npm run generate`: makes again every file that is made from the code (server/openapi.json,
// server/schema.sql, server/statements.sql, the state machines in ARCHITECTURE.md, the dashboard's
// types and what browsers get of it). With `--check` it only compares.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeArtifacts, wholeFolders } from './generate/make-artifacts.ts'
import { run } from './generate/run.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

process.exitCode = await run({
  root: resolve(import.meta.dirname, '..'),
  check: values.check,
  artifacts: await makeArtifacts(),
  wholeFolders,
  print: (line) => console.log(line),
})
