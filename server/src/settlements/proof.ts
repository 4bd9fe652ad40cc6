// Stores the bank's proof of a settlement. The file is stored first, sealed, under a name of its
// own, then the row names it: a crash in between leaves a sealed file that no row names, which does
// no harm. A later proof takes its place; the earlier file is kept, as the audit log names it.

import { actorOfPerson } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { transactInTurn } from '../platform/batch-calls.ts'
import type { SealedFiles } from '../platform/crypto/reseal.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { assert, refuse } from '../platform/errors.ts'
import type { Person } from '../platform/http/route.ts'
import { transportErrors } from '../platform/http/transport-errors.ts'
import { newId } from '../platform/ids.ts'
import { keepFile, putLoose } from '../platform/storage/loose-files.ts'
import { type Storage, sealFile, unsealFile } from '../platform/storage/storage.ts'
import { lockForStaff } from './decide-settlement.ts'
import { settlementErrors } from './errors.ts'
import { getSeenSettlement } from './get-settlement.ts'
import type { Settlement } from './settlement.ts'
import { listProofKeys, type Seen, updateProof } from './store.ts'

export type ProofDeps = Readonly<{
  db: Db
  storage: Storage
  keyring: Keyring
  /** The origin of our own pages, without a trailing slash. */
  public_url: string
}>

export type ProofFile = Readonly<{ id: string; content_type: string; bytes: Uint8Array }>

/** A sealed file is bound to its settlement and its own name. */
export const bindingOf = (proof_key: string): string => `settlements:${proof_key}:proof`

export async function addProof(deps: ProofDeps, person: Person, file: ProofFile): Promise<Seen> {
  const { db, storage, keyring, public_url } = deps
  const { id, content_type: proof_type } = file
  // Before anything is stored; checked again under the lock.
  const { settlement } = requireByBank(await getSeenSettlement(db, person, id))
  const proof_key = `settlements/${settlement.merchant_id}/${id}/${newId()}`
  const sealed = sealFile(keyring, file.bytes, bindingOf(proof_key))
  const content_type = 'application/octet-stream'
  await putLoose({ db, storage }, { key: proof_key, bytes: sealed, content_type })
  const proof_url = `${public_url}/api/v1/settlements/${id}/proof/`
  await transactInTurn(db, settlement, async (tx) => {
    const before = requireByBank(await lockForStaff(tx, person, id)).settlement
    await keepFile(tx, proof_key)
    await updateProof(tx, before, { proof_url, proof_key, proof_type })
    await recordAct(tx, {
      merchant_id: before.merchant_id,
      environment: before.environment,
      actor: actorOfPerson(person),
      action: 'settlement.proof_added',
      target_kind: 'settlement',
      target_id: id,
      before: { proof_key: before.proof_key },
      after: { proof_key, proof_type, size_bytes: file.bytes.length },
    })
  })
  return getSeenSettlement(db, person, id)
}

/** One that a bank pays, that was approved and not given up. */
function requireByBank(seen: Seen): Seen {
  const { destination, settlement } = seen
  if (destination.type !== 'BANK_ACCOUNT') throw refuse(settlementErrors.settlement_not_by_bank)
  const { status } = settlement
  if (status === 'PENDING') throw refuse(settlementErrors.settlement_not_approved)
  if (status === 'APPROVED' || status === 'SUCCESS') return seen
  throw refuse(settlementErrors.transaction_terminal)
}

// The bank's proof of a settlement, unsealed for its merchant and for staff.

export type OpenedProof = Readonly<{ bytes: Buffer; content_type: string; filename: string }>

const endings: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
}

/** Refuses where there is none. */
export async function readProof(
  { storage, keyring }: Pick<ProofDeps, 'storage' | 'keyring'>,
  { id, reference, proof_key, proof_type }: Settlement,
): Promise<OpenedProof> {
  if (proof_key === '') throw refuse(transportErrors.not_found)
  const sealed = await storage.get(proof_key)
  assert(sealed !== undefined, `the proof of settlement ${id} is not in the storage`)
  const bytes = unsealFile(keyring, sealed, bindingOf(proof_key))
  const filename = `${reference}.${endings[proof_type] ?? 'bin'}`
  return { bytes, content_type: proof_type, filename }
}

// The files of settlements' proofs, for the command that seals them again under another key.

export const sealedProofs: SealedFiles = {
  name: 'files of settlements',
  list: async (db) =>
    (await listProofKeys(db)).map(({ proof_key }) => ({
      storage_key: proof_key,
      bound_to: bindingOf(proof_key),
    })),
  // Neither a settlement nor a line of the log ever goes.
  isNamed: async () => true,
}
