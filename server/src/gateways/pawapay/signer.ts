// How requests that move money are signed where an account has a key for that: over the same six
// things that this operator signs its callbacks over, for a minute.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { canSign, type Signer, signRequest } from '../../platform/crypto/http-signature.ts'
import type { Account } from '../adapter.ts'

const covered = [
  ...['@method', '@authority', '@path'],
  ...['signature-date', 'content-digest', 'content-type'],
] as const
const life_s = 60

type Keys = Pick<Account, 'secrets'>

/** Undefined where the account has none, or half of one: `check` says so. */
export function signerOf({ secrets }: Keys): Signer | undefined {
  const key_id = secrets['signing_key_id'] ?? ''
  const private_key = readKey(secrets['signing_key'] ?? '')
  if (key_id === '' || private_key === undefined) return undefined
  return { label: 'sig-pp', key_id, private_key, covered, life_s }
}

/** Typed in one line, its line ends written as `\n`. */
function readKey(pem: string): KeyObject | undefined {
  if (pem === '') return undefined
  try {
    const key = createPrivateKey(pem.replaceAll('\\n', '\n'))
    return canSign(key) ? key : undefined
  } catch {
    // Of the form of a key, and none.
    return undefined
  }
}

/** What of a signature is set; `half`: without the other part, or no key at all. */
export function signingOf(account: Keys): 'none' | 'half' | 'whole' {
  const { signing_key_id = '', signing_key = '' } = account.secrets
  const isNone = signing_key_id === '' && signing_key === ''
  if (isNone) return 'none'
  return signerOf(account) === undefined ? 'half' : 'whole'
}

type Signing = Readonly<{ url: string; body: string; now_ms: number }>

export function signedHeaders(signer: Signer, { url, body, now_ms }: Signing) {
  const { host: authority, pathname: path } = new URL(url)
  const dated = { 'signature-date': new Date(now_ms).toISOString() }
  const headers = { ...dated, 'content-type': 'application/json' }
  const request = { method: 'POST', authority, path, query: '', headers, body: Buffer.from(body) }
  return { ...dated, ...signRequest(request, signer, now_ms) }
}
