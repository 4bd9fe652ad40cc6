// A device that its owner has signed in on: a token that it keeps and sends with the next sign-in,
// so that strangers who guess from everywhere never keep the owner out, whatever address the
// owner comes from. Law: it opens nothing; it only has tries of its own. Nothing is stored: it is
// a MAC over person, password and day, so it ends with the password, or after 180 days.

import { createHash, randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Keyring } from '../platform/crypto/seal.ts'

type Owner = Readonly<{ id: string; password_hash: string | null }>

const purpose = 'known-device'
const valid_s = 180 * 24 * 3600
const pattern = /^dev_(\d{10})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

const bound = ({ id, password_hash }: Owner, made_s: string, name: string) =>
  [
    id,
    made_s,
    name,
    createHash('sha256')
      .update(password_hash ?? '')
      .digest('hex'),
  ].join(' ')

export function newDeviceToken(keyring: Keyring, owner: Owner, now_ms = Date.now()): string {
  const name = randomBytes(16).toString('base64url')
  const made_s = String(Math.floor(now_ms / 1000))
  const mac = keyring.mac(purpose, bound(owner, made_s, name)).toString('base64url')
  return `dev_${made_s}.${name}.${mac}`
}

/** It may be a token: only then is it worth reading whose it would be. */
export const looksLikeDevice = (token: string | undefined): boolean => pattern.test(token ?? '')

/** The name of a device that is this owner's; undefined: anybody's, or its time is over. */
export function deviceOf(
  keyring: Keyring,
  owner: Owner | undefined,
  token: string | undefined,
  now_ms = Date.now(),
): string | undefined {
  const [, made_s = '', name = '', mac = ''] = pattern.exec(token ?? '') ?? []
  const age_s = now_ms / 1000 - Number(made_s)
  if (owner === undefined || made_s === '' || age_s < -60 || age_s > valid_s) return undefined
  const given = Buffer.from(mac, 'base64url')
  return keyring.macMatches(purpose, bound(owner, made_s, name), given) ? name : undefined
}

/** A code at login, for members and for staff alike; a form that has none sends it empty. */
export const loginCodeField = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, 'x-empty-absent': true }),
)

// The device token as login takes and answers it, for members and for staff alike.

export const deviceTokenField = Type.Optional(
  Type.String({
    maxLength: 128,
    description:
      'The `device_token` of an earlier login on this device. It grants no access: it only ' +
      'keeps password-guessing by others from slowing down logins from this device.',
  }),
)

export const DeviceTokenSchema = Type.String({
  description:
    'Keep it on this device and send it with the next login. It expires when the password ' +
    'changes, or after 180 days.',
})

export const deviceTokenExample =
  'dev_1795000000.q0v1Z3mT9bC4nR8sW1yD6f.X7pZ0kQ3vJ2mT9bC4nR8sW1yD6fG5hL0aE3iU7oKqPs'
