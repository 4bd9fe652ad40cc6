// Which mailer a configuration gets, and when it warns that e-mails go nowhere.

import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { openMailer } from './open-mailer.ts'

async function warningsOf(env: Record<string, string>): Promise<string[]> {
  const reading = readConfig(env)
  if (reading.is === 'mistakes') throw new Error(reading.lines.join(' '))
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await openMailer(reading.config, log).close()
  return lines.map((line) => String(JSON.parse(line).msg))
}

const outside = {
  DATABASE_URL: 'postgres://app:pw@db/pirogue',
  ALLOW_INSECURE: 'database_tls,public_url,mail',
  SECRET_KEY: Buffer.alloc(32).toString('base64'),
  DATA_DIR: '/var/lib/pirogue',
}

describe('without a mail server', () => {
  it('letters go to a folder, and a start that is no trial says so once', async () => {
    expect(await warningsOf(outside)).toEqual([
      'SMTP_URL is not set: e-mails are written to /var/lib/pirogue/outbox and nobody gets them',
    ])
  })

  it('nobody is warned who only tries it, sends none, or has one after all', async () => {
    expect(await warningsOf({})).toEqual([])
    expect(await warningsOf({ ...outside, ROLE: 'api' })).toEqual([])
    expect(await warningsOf({ ...outside, SMTP_URL: 'smtp://mail.example' })).toEqual([])
  })
})
