// The Ed25519 key that signs receipts: made once in the database, the same for every process, its
// private half sealed. The public halves are published, so that a receipt is proven without us.

import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Keyring } from '../platform/crypto/seal.ts'
import type { Db } from '../platform/db.ts'
import { assert } from '../platform/errors.ts'
import { insertFirstKey, type KeptKey, listKeys } from './store.ts'

/** One public key as JOSE libraries read it (RFC 8037). */
export type PublicKey = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  alg: 'EdDSA'
  use: 'sig'
  kid: string
  x: string
}>

export type Signing = Readonly<{ kid: string; key: KeyObject; published: readonly PublicKey[] }>

/** Asks the database until there is a key, then no more: a key never changes. */
export type SigningKey = () => Promise<Signing>

const bindingOf = (number: number) => `receipt_keys:${number}:private_key`

export function signingKeyIn(db: Db, keyring: Pick<Keyring, 'seal' | 'unseal'>): SigningKey {
  let held: Promise<Signing> | undefined
  return () => {
    held ??= readOrMake(db, keyring).catch((error: unknown) => {
      held = undefined
      throw error
    })
    return held
  }
}

async function readOrMake(db: Db, keyring: Pick<Keyring, 'seal' | 'unseal'>): Promise<Signing> {
  let keys = await listKeys(db)
  if (keys.length === 0) {
    await insertFirstKey(db, newKey(keyring))
    keys = await listKeys(db)
  }
  const [current] = keys
  assert(current !== undefined, 'a key was just written, by us or by another process')
  const pem = keyring.unseal(current.sealed_private_key, bindingOf(current.number))
  return {
    kid: published(current.public_key).kid,
    key: createPrivateKey(pem),
    published: keys.map(({ public_key }) => published(public_key)),
  }
}

function newKey(keyring: Pick<Keyring, 'seal'>): KeptKey {
  const number = 1
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return {
    number,
    public_key: Buffer.from(x, 'base64url'),
    sealed_private_key: keyring.seal(pem, bindingOf(number)),
  }
}

function published(public_key: Buffer): PublicKey {
  const x = public_key.toString('base64url')
  // RFC 7638: the hash of the members that are needed, in this order and without spaces.
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })
  const kid = createHash('sha256').update(thumbprint).digest('base64url')
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x }
}
