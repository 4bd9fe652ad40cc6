// What a first start hands to a stranger: the demo merchant and its keys, in a file only he can
// read (decisions 7.3).

import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type Credentials = Readonly<{
  base_url: string
  dashboard_url: string
  merchant: Readonly<{ id: string; name: string }>
  api_keys: Readonly<Record<'PAYIN' | 'PAYOUT' | 'BOTH', string>>
  dashboard: Readonly<{ email: string; password: string }>
  admin: Readonly<{ email: string; password: string }>
}>

type Made = Pick<Credentials, 'merchant' | 'api_keys'>

const fileIn = (data_dir: string) => path.join(data_dir, 'credentials.json')

/** Written once, when the demo merchant is made; its secrets are nowhere else. */
export async function writeCredentials(
  data_dir: string,
  public_url: string,
  made: Made,
): Promise<Credentials> {
  const password = () => randomBytes(12).toString('base64url')
  const credentials: Credentials = {
    base_url: `${public_url}/api/v1`,
    dashboard_url: `${public_url}/dashboard`,
    ...made,
    dashboard: { email: 'demo@pirogue.example', password: password() },
    admin: { email: 'admin@pirogue.example', password: password() },
  }
  const text = `${JSON.stringify(credentials, null, 2)}\n`
  await writeFile(fileIn(data_dir), text, { mode: 0o600 })
  return credentials
}

/** Undefined before the first start. The address is the one of this start. */
export async function readCredentials(
  data_dir: string,
  public_url: string,
): Promise<Credentials | undefined> {
  const text = await readFile(fileIn(data_dir), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const held: Credentials = JSON.parse(text)
  return { ...held, base_url: `${public_url}/api/v1`, dashboard_url: `${public_url}/dashboard` }
}
