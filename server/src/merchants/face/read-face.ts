// The merchant as a payer sees him: his name and brand, and nothing of his account.

import type { Sql } from '../../platform/db.ts'
import { assert } from '../../platform/errors.ts'
import { logoUrl } from '../settings/settings.ts'
import type { Face } from './face.ts'
import { findFace } from './store.ts'

export async function readFace(sql: Sql, merchant_id: string): Promise<Face> {
  const face = await findFace(sql, merchant_id)
  assert(face !== undefined, `no merchant ${merchant_id}`)
  return face
}

export const viewFace = (face: Face, public_url: string) => ({
  name: face.brand_name || face.name,
  colour: face.brand_colour,
  logo_url: logoUrl(face, public_url),
})
