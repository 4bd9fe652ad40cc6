// A signature that several operators share in form: a header with a time and MACs of "time, a dot,
// body", under a secret of ours and theirs. Law: reading always answers; only a fresh MAC that was
// made with one of the secrets proves anything.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Received } from './gateway.ts'

/** An old one may be a replay. Seconds. */
const ageMost_s = 300
/** While an operator changes its secret it may sign with each; more is nonsense. */
const macsMost = 8
const headerMost = 4_096

export type TimedSignature = Readonly<{
  header: string
  /** What a MAC is called in the header, such as `v1`. */
  scheme: string
  /** Current and former; empty ones prove nothing. */
  secrets: readonly string[]
  /** Between the time and the body. */
  joint?: string
}>

/** Whether the operator signed this body, within five minutes of when it came. */
export function hasTimedSignature(
  { body, headers, at_ms }: Pick<Received, 'body' | 'headers' | 'at_ms'>,
  { header, scheme, secrets, joint = '.' }: TimedSignature,
): boolean {
  const text = headers[header] ?? ''
  if (text.length > headerMost) return false
  const parts = text.split(',').map((part) => part.trim().split('='))
  const times = parts.filter(([name]) => name === 't').map(([, value = '']) => value)
  const [time = ''] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(Math.floor(at_ms / 1000) - Number(time)) > ageMost_s) return false
  const macs = parts
    .filter(([name, value = '']) => name === scheme && /^[0-9a-f]{64}$/.test(value))
    .slice(0, macsMost)
    .map(([, value = '']) => Buffer.from(value, 'hex'))
  return secrets
    .filter((secret) => secret !== '')
    .some((secret) => {
      const mac = createHmac('sha256', secret).update(`${time}${joint}`).update(body).digest()
      return macs.some((one) => timingSafeEqual(one, mac))
    })
}
