// Every generated file of the repository, in one list.

import type { Artifact } from './artifact.ts'
import { openApiJson } from './openapi-json.ts'
import { schemaSql } from './schema-sql.ts'
import { stateDrawings } from './state-drawings.ts'

/** Starts and stops a PostgreSQL of its own, in a temporary directory, for the schema. */
export async function makeArtifacts(): Promise<Artifact[]> {
  const [openapi, schema] = await Promise.all([openApiJson(), schemaSql()])
  return [openapi, schema, stateDrawings()]
}
