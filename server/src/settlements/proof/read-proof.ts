// The bank's proof of a settlement, unsealed for its merchant and for staff.

import { assert, refuse } from '../../platform/errors.ts'
import { transportErrors } from '../../platform/http/transport-errors.ts'
import { unsealFile } from '../../platform/storage/sealed-file.ts'
import type { Settlement } from '../settlement.ts'
import { bindingOf, type ProofDeps } from './add-proof.ts'

export type ProofFile = Readonly<{ bytes: Buffer; content_type: string; filename: string }>

const endings: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
}

/** Refuses where there is none. */
export async function readProof(
  { storage, keyring }: Pick<ProofDeps, 'storage' | 'keyring'>,
  { id, reference, proof_key, proof_type }: Settlement,
): Promise<ProofFile> {
  if (proof_key === '') throw refuse(transportErrors.not_found)
  const sealed = await storage.get(proof_key)
  assert(sealed !== undefined, `the proof of settlement ${id} is not in the storage`)
  const bytes = unsealFile(keyring, sealed, bindingOf(proof_key))
  const filename = `${reference}.${endings[proof_type] ?? 'bin'}`
  return { bytes, content_type: proof_type, filename }
}
