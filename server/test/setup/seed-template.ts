// What every test database holds beyond the schema. Law: it runs once, on the template, so what it
// writes is in each clone and no test pays for it again.

import { seedCatalogue } from '../../src/app/seed.ts'
import type { OwnerSql } from './database.ts'

/** Fills the freshly migrated template with the catalogue; connected to it as postgres. */
export async function seedTemplate(sql: OwnerSql): Promise<void> {
  await seedCatalogue(sql)
}
