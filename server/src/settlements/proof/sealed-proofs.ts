// The files of settlements' proofs, for the command that seals them again under another key.

import type { SealedFiles } from '../../platform/crypto/reseal.ts'
import { listProofKeys } from '../store.ts'
import { bindingOf } from './add-proof.ts'

export const sealedProofs: SealedFiles = {
  name: 'files of settlements',
  list: async (db) =>
    (await listProofKeys(db)).map(({ proof_key }) => ({
      storage_key: proof_key,
      bound_to: bindingOf(proof_key),
    })),
  isNamed: async (db, key) => (await listProofKeys(db)).some(({ proof_key }) => proof_key === key),
}
