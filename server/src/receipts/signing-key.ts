// The Ed25519 key that signs receipts: made in the database, the same for every process, its
// private half sealed. The public halves are published, so that a receipt is proven without us.

import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { systemActor } from '../audit/audit.ts'
import { recordAct } from '../audit/audit-log.ts'
import { platformMerchant } from '../ledger/account.ts'
import type { Keyring } from '../platform/crypto/seal.ts'
import { type Db, inTransaction } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { control } from '../platform/places/places.ts'
import type { Receipt } from './receipt.ts'
import { insertKey, listKeys, type StoredKey } from './store.ts'
import { viewReceipt } from './view.ts'

/** One public key as JOSE libraries read it (RFC 8037). */
export type PublicKey = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  alg: 'EdDSA'
  use: 'sig'
  kid: string
  x: string
}>

export type Signing = Readonly<{ kid: string; key: KeyObject }>

/** The key that signs now. */
export type SigningKey = () => Promise<Signing>

type Deps = Readonly<{ db: Db; keyring: Pick<Keyring, 'seal' | 'unseal'>; clock: () => number }>

/** A key never changes, but a new one may have been begun: so often the database is read. */
const cached_ms = 60_000

export function signingKeyIn({ db, keyring, clock }: Deps): SigningKey {
  let cached: Readonly<{ signing: Promise<Signing>; until: number }> | undefined
  return () => {
    if (cached !== undefined && clock() < cached.until) return cached.signing
    const signing = readOrMake(db, keyring)
    const now = { signing, until: clock() + cached_ms }
    cached = now
    signing.catch(() => {
      if (cached === now) cached = undefined
    })
    return signing
  }
}

async function readOrMake(db: Db, keyring: Pick<Keyring, 'seal' | 'unseal'>): Promise<Signing> {
  let [current] = await listKeys(db)
  if (current === undefined) {
    await insertKey(db, newKey(keyring, 1))
    current = (await listKeys(db))[0]
  }
  assert(current !== undefined, 'a key was just written, by us or by another process')
  return { kid: published(current).kid, key: privateKeyOf(keyring, current) }
}

/** Every key there was, the one that signs first: read anew, for another may have been begun. */
export const publishedKeys = async (db: Db): Promise<PublicKey[]> =>
  (await listKeys(db)).map(published)

/** A sealed key is bound to its own row. */
export const bindingOf = (number: number) => `receipt_keys:${number}:private_key`

export function newKey(keyring: Pick<Keyring, 'seal'>, number: number): StoredKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return {
    number,
    public_key: Buffer.from(x, 'base64url'),
    sealed_private_key: keyring.seal(pem, bindingOf(number)),
  }
}

/** Throws when it was sealed under another SECRET_KEY. */
const privateKeyOf = (keyring: Pick<Keyring, 'unseal'>, stored: StoredKey): KeyObject =>
  createPrivateKey(keyring.unseal(stored.sealed_private_key, bindingOf(stored.number)))

export function published({ public_key }: Pick<StoredKey, 'public_key'>): PublicKey {
  const x = public_key.toString('base64url')
  // RFC 7638: the hash of the members that are needed, in this order and without spaces.
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })
  const kid = createHash('sha256').update(thumbprint).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x }
}

// A receipt as a signed statement that proves itself: a compact JWS (RFC 7515) by Ed25519 (RFC
// 8037), so that any JOSE library verifies it offline with the published key. It states what was
// true at `iat`; only the page knows what has become of it since.

export type SigningDeps = Readonly<{
  signing: SigningKey
  public_url: string
  clock: () => number
}>

export async function signReceipt(deps: SigningDeps, receipt: Receipt): Promise<string> {
  const { kid, key } = await deps.signing()
  const iat = Math.floor(deps.clock() / 1000)
  const claims = { iss: deps.public_url, iat, ...viewReceipt(receipt) }
  const text = `${part({ alg: 'EdDSA', kid, typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// Begins a new key for receipts. Law: the old ones stay published, so that what they signed can be
// proven for ever; and it is sealed as the others are, so that every process can open it.

/** The key that signs from now on. Of two rotations at the same moment one is made. */
export const rotateReceiptKey = (db: Db, keyring: Keyring): Promise<PublicKey> =>
  inTransaction(control(db), async (tx) => {
    const [old] = await listKeys(tx)
    // Under another SECRET_KEY than the service's own, no process could sign any more.
    if (old !== undefined) privateKeyOf(keyring, old)
    const isOurs = await insertKey(tx, newKey(keyring, (old?.number ?? 0) + 1))
    const [current] = await listKeys(tx)
    assert(current !== undefined, 'a key was just written, by us or by another process')
    const key = published(current)
    if (!isOurs) return key
    await recordAct(tx, {
      merchant_id: platformMerchant.LIVE,
      environment: null,
      actor: systemActor,
      action: 'receipt_key.rotated',
      target_kind: 'receipt_key',
      target_id: key.kid,
      before: old === undefined ? null : { kid: published(old).kid },
      after: { kid: key.kid },
    })
    return key
  })
