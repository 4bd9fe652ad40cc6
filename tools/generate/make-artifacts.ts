// Every generated file of the repository, in one list.

import type { Artifact } from './artifact.ts'
import { builtFolder, dashboardBuilt } from './dashboard-built.ts'
import { dashboardTypes } from './dashboard-client.ts'
import { withFreshDatabase } from './fresh-database.ts'
import { honestyTable } from './honesty-table.ts'
import { openApiJson } from './openapi-json.ts'
import { schemaSql } from './schema-sql.ts'
import { stateDrawings } from './state-drawings.ts'
import { statementsSql } from './statements-sql.ts'

/** Starts and stops a PostgreSQL of its own, in a temporary directory. */
export async function makeArtifacts(): Promise<Artifact[]> {
  const [openapi, [schema, statements]] = await Promise.all([openApiJson(), fromDatabase()])
  const types = await dashboardTypes(openapi.render(undefined))
  const built = await dashboardBuilt()
  return [openapi, schema, statements, stateDrawings(), honestyTable(), types, ...built]
}

/** Of these, whatever is not made is stale: the names of files change with their content. */
export const wholeFolders: readonly string[] = [`${builtFolder}/assets`]

/** The schema is read first: what is played afterwards fills the tables. */
const fromDatabase = () =>
  withFreshDatabase(async (fresh) => {
    const schema = await schemaSql(fresh.db)
    return [schema, await statementsSql(fresh)] as const
  })
