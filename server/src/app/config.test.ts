// The environment: its defaults, every mistake in one line, and no secret in any of them.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { autoBelow } from '../planning/auto-below.ts'
import { bankFeeFixed } from '../settlements/terms.ts'
import { type Config, readConfig } from './config.ts'

const secret = randomBytes(32).toString('base64')
const outside = {
  DATABASE_URL: 'postgres://app:pw@db:5432/pirogue?sslmode=verify-full',
  SECRET_KEY: secret,
  PUBLIC_URL: 'https://pay.example.com',
  SMTP_URL: 'smtps://mail.example',
  SECURITY_CONTACT: 'mailto:security@example.com',
}

function config(env: Record<string, string>): Config {
  const reading = readConfig(env)
  if (reading.is === 'mistakes') throw new Error(reading.lines.join('\n'))
  return reading.config
}

function lines(env: Record<string, string>): readonly string[] {
  const reading = readConfig(env)
  return reading.is === 'mistakes' ? reading.lines : []
}

describe('METRICS_TOKEN', () => {
  it('is taken as it is, and never shown when it is wrong', () => {
    expect(config({ METRICS_TOKEN: 'a-token-of-24-characters' }).metrics_token).toBe(
      'a-token-of-24-characters',
    )
    for (const wrong of ['fifteen-secrets', 'with a space in its middle', 'é'.repeat(20)]) {
      const found = lines({ METRICS_TOKEN: wrong })
      expect(found).toHaveLength(1)
      expect(found[0]).not.toContain(wrong)
    }
  })
})

describe('defaults', () => {
  it('need nothing at all: embedded, on this machine only', () => {
    expect(config({})).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      public_url: 'http://127.0.0.1:8080',
      public_url_is_set: false,
      dashboard_url: null,
      data_dir: '.pirogue',
      embedded: true,
      database_url: null,
      simulator_port: 0,
      simulator_url: null,
      trust_proxy: { is: 'nobody' },
      egress_addresses: [],
      secret_key: null,
      default_locale: 'en',
      response_envelope: 'on',
      webhook_allow_private: true,
      log_level: 'info',
      role: 'all',
      processes: 'auto',
      smtp: null,
      mail_from: { name: 'Pirogue', address: 'no-reply@localhost' },
      payout_method_cooling_hours: 24,
      metrics_token: null,
    })
  })

  it('with DATABASE_URL listen everywhere and keep webhooks out of private networks', () => {
    expect(config(outside)).toMatchObject({
      host: '0.0.0.0',
      public_url: 'https://pay.example.com',
      embedded: false,
      database_url: outside.DATABASE_URL,
      secret_key: secret,
      webhook_allow_private: false,
    })
  })

  it('make limits a hundred times wider when embedded, and never touch one that is set', () => {
    expect(config({}).limits.phone_prompts_10min).toBe(500)
    expect(config({}).limits.phone_prompts_day).toBe(2_000)
    expect(config(outside).limits).toMatchObject({ phone_prompts_10min: 5, phone_prompts_day: 20 })
    expect(config(outside).limits).toMatchObject({ session_payments: 10, public_per_ip_minute: 30 })
    const set = { LIMIT_PHONE_PROMPTS_DAY: '7' }
    expect(config(set).limits.phone_prompts_day).toBe(7)
    expect(config({ ...outside, ...set }).limits.phone_prompts_day).toBe(7)
  })

  it('let staff approve every transfer, which costs one per cent', () => {
    const auto_below = { SANDBOX: {}, LIVE: {} }
    for (const env of [{}, outside, { TRANSFER_FEE_PERCENT: '', TRANSFER_AUTO_BELOW: ' ' }]) {
      expect(config(env).transfers).toEqual({ fee_percent_ppm: 10_000n, auto_below })
    }
  })

  it('let staff approve every settlement, which costs nothing at the bank', () => {
    const free = { bank_fee_percent_ppm: 0n, bank_fee_fixed: {} }
    for (const env of [{}, outside, { SETTLEMENT_AUTO_BELOW: ' ' }]) {
      expect(config(env).settlements).toEqual({ ...free, auto_below: { SANDBOX: {}, LIVE: {} } })
    }
  })

  it('stand in for a variable that is empty', () => {
    expect(config({ PORT: '', HOST: ' ', DATABASE_URL: '', TRUST_PROXY: '' }).port).toBe(8080)
  })
})

describe('webhook_allow_private', () => {
  it.each([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '192.168.1.4' }, false],
    [{ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'true' }, true],
    [{ WEBHOOK_ALLOW_PRIVATE: 'false' }, false],
    [{ ...outside, HOST: '127.0.0.1' }, false],
  ])('is by default for an embedded start on loopback only: %o', (env, expected) => {
    expect(config(env as Record<string, string>).webhook_allow_private).toBe(expected)
  })
})

describe('values', () => {
  it.each([
    ['https://pay.example.com/', 'https://pay.example.com'],
    ['https://pay.example.com/base//', 'https://pay.example.com/base'],
    ['HTTP://Pay.Example.com:80', 'http://pay.example.com'],
  ])('keep no slash at the end of PUBLIC_URL: %s', (text, expected) => {
    expect(config({ PUBLIC_URL: text }).public_url).toBe(expected)
  })

  it.each([
    ['::', 'http://127.0.0.1:9000'],
    ['::1', 'http://[::1]:9000'],
    ['pay.internal', 'http://pay.internal:9000'],
  ])('make a URL of HOST %s', (host, expected) => {
    expect(config({ HOST: host, PORT: '9000' }).public_url).toBe(expected)
  })

  it('take the addresses that calls leave from as a list', () => {
    const read = (PUBLIC_EGRESS_ADDRESSES: string) => config({ PUBLIC_EGRESS_ADDRESSES })
    expect(read('203.0.113.7, 2001:db8::/32').egress_addresses).toEqual([
      '203.0.113.7',
      '2001:db8::/32',
    ])
    expect(() => read('pay.example.com')).toThrow(/PUBLIC_EGRESS_ADDRESSES/)
  })

  it('take the proxies that accounts may go through as a list, and no login with them', () => {
    const read = (EGRESS_PROXIES: string) => config({ EGRESS_PROXIES })
    const both = ['http://10.0.0.5:3128', 'http://proxy.internal:8080']
    expect(read(both.join(' , ')).egress_proxies).toEqual(both)
    expect(config({}).egress_proxies).toEqual([])
    for (const wrong of ['10.0.0.5:3128', 'https://10.0.0.5:1', 'http://u:p@10.0.0.5:3128']) {
      expect(() => read(wrong)).toThrow(/EGRESS_PROXIES/)
    }
  })

  it('take TRUST_PROXY as hops or as networks', () => {
    expect(config({ TRUST_PROXY: '0' }).trust_proxy).toEqual({ is: 'nobody' })
    expect(config({ TRUST_PROXY: '2' }).trust_proxy).toEqual({ is: 'hops', count: 2 })
    expect(config({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trust_proxy).toEqual({
      is: 'networks',
      cidrs: ['10.0.0.0/8', '::1'],
    })
  })

  it('take the limit of transfers for both environments or for each', () => {
    const both = { TRANSFER_AUTO_BELOW: 'GHS:300.50, XOF:5000' }
    const named = { GHS: 30_050n, XOF: 500_000n }
    const auto = (env: Record<string, string>) => config(env).transfers.auto_below
    expect(auto(both)).toEqual({ SANDBOX: named, LIVE: named })
    expect(auto({ ...both, TRANSFER_AUTO_BELOW_LIVE: '0' })).toEqual({ SANDBOX: named, LIVE: {} })
    const one = { TRANSFER_AUTO_BELOW_SANDBOX: 'XAF:1' }
    expect(auto(one)).toEqual({ SANDBOX: { XAF: 100n }, LIVE: {} })
    const { transfers } = config({ ...both, TRANSFER_AUTO_BELOW_LIVE: 'XOF:10' })
    expect(autoBelow(transfers, 'LIVE', 'XOF')).toBe(1_000n)
    expect(autoBelow(transfers, 'LIVE', 'GHS')).toBe(0n)
    expect(autoBelow(transfers, 'SANDBOX', 'GHS')).toBe(30_050n)
    expect(config({ TRANSFER_FEE_PERCENT: '0.0001' }).transfers.fee_percent_ppm).toBe(1n)
    expect(config({ TRANSFER_FEE_PERCENT: '0' }).transfers.fee_percent_ppm).toBe(0n)
  })

  it('take what a settlement by bank costs, and its limit as a transfer’s', () => {
    const env = {
      SETTLEMENT_BANK_FEE_PERCENT: '1.25',
      SETTLEMENT_BANK_FEE_FIXED: 'XOF:500,USD:1.50',
      SETTLEMENT_AUTO_BELOW: 'XOF:1000',
      SETTLEMENT_AUTO_BELOW_LIVE: '0.00',
    }
    expect(config(env).settlements).toEqual({
      bank_fee_percent_ppm: 12_500n,
      bank_fee_fixed: { XOF: 50_000n, USD: 150n },
      auto_below: { SANDBOX: { XOF: 100_000n }, LIVE: {} },
    })
    expect(bankFeeFixed(config(env).settlements, 'USD')).toBe(150n)
    expect(bankFeeFixed(config(env).settlements, 'GHS')).toBe(0n)
  })

  it('show how a sum names its currency, where one does not', () => {
    const reading = readConfig({ SETTLEMENT_AUTO_BELOW: '20000' })
    expect(reading).toEqual({
      is: 'mistakes',
      lines: [
        'SETTLEMENT_AUTO_BELOW: read "20000", expected currencies with their amounts such as ' +
          'XOF:50000,GHS:300.50; 0 or a currency left out: staff approve every settlement.',
      ],
    })
  })

  it('take several secret keys and several database hosts', () => {
    const both = `${secret},${randomBytes(32).toString('base64')}`
    expect(config({ SECRET_KEY: both }).secret_key).toBe(both)
    const url = 'postgresql://app:p%40w@a:5432,b:5432/pirogue?sslmode=verify-ca'
    expect(config({ ...outside, DATABASE_URL: url }).database_url).toBe(url)
  })

  it.each([0, 1, 720])('take %i hours of cooling-off', (hours) => {
    const reading = config({ PAYOUT_METHOD_COOLING_HOURS: String(hours) })
    expect(reading.payout_method_cooling_hours).toBe(hours)
  })

  it.each(['api', 'worker'])('allow ROLE=%s with and without DATABASE_URL', (role) => {
    expect(config({ ROLE: role }).role).toBe(role)
    expect(config({ ...outside, ROLE: role }).role).toBe(role)
  })
})

describe('mail', () => {
  const alice = { user: 'alice@shop', pass: 'p:w/' }
  it.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, auth: null }],
    ['smtps://mail.example/', { host: 'mail.example', port: 465, secure: true, auth: null }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, auth: null }],
    [
      'SMTPS://alice%40shop:p%3Aw%2F@mail.example:2465',
      { host: 'mail.example', port: 2465, secure: true, auth: alice },
    ],
  ])('goes to the server of SMTP_URL: %s', (text, expected) => {
    expect(config({ SMTP_URL: text }).smtp).toEqual(expected)
  })

  it.each([
    ['mail@pay.example', '', 'mail@pay.example'],
    ['Pay <mail@pay.example>', 'Pay', 'mail@pay.example'],
    ['"Pay Côte d’Ivoire" <mail@pay.example>', 'Pay Côte d’Ivoire', 'mail@pay.example'],
  ])('comes from MAIL_FROM: %s', (text, name, address) => {
    expect(config({ MAIL_FROM: text }).mail_from).toEqual({ name, address })
  })
})

describe('mistakes', () => {
  it.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['HOST', 'http://x'],
    ['HOST', '127.0.0'],
    ['PUBLIC_URL', 'pay.example.com'],
    ['PUBLIC_URL', '/pay'],
    ['PUBLIC_URL', 'ftp://pay.example.com'],
    ['PUBLIC_URL', 'https://pay.example.com/?a=1'],
    ['DASHBOARD_URL', 'board.example.com'],
    ['DASHBOARD_URL', 'https://board.example.com/dashboard'],
    ['DASHBOARD_URL', 'https://board.example.com/?a=1'],
    // That of PUBLIC_URL, to whose cookies another port is no other host.
    ['DASHBOARD_URL', 'http://127.0.0.1:9090'],
    ['SIMULATOR_PORT', '1e3'],
    ['SIMULATOR_URL', 'localhost:1'],
    ['SETTLEMENT_BANK_FEE_PERCENT', '101'],
    ['SETTLEMENT_BANK_FEE_FIXED', '-1'],
    ['SETTLEMENT_BANK_FEE_FIXED', '500'],
    ['SETTLEMENT_BANK_FEE_FIXED', 'XOF:500.50'],
    ['SETTLEMENT_AUTO_BELOW', 'XOF:1,XOF:2'],
    ['SETTLEMENT_AUTO_BELOW', 'XOF:1,'],
    ['SETTLEMENT_AUTO_BELOW', 'CFA:1'],
    ['SETTLEMENT_AUTO_BELOW', 'XOF'],
    ['SETTLEMENT_AUTO_BELOW', 'xof:1'],
    ['SETTLEMENT_AUTO_BELOW', 'XOF:-1'],
    ['SETTLEMENT_AUTO_BELOW', '1e3'],
    ['SETTLEMENT_AUTO_BELOW_LIVE', 'never'],
    ['TRANSFER_FEE_PERCENT', '1.00001'],
    ['TRANSFER_FEE_PERCENT', '101'],
    ['TRANSFER_FEE_PERCENT', '1 %'],
    ['TRANSFER_AUTO_BELOW', '-1'],
    ['TRANSFER_AUTO_BELOW', '5.005'],
    ['TRANSFER_AUTO_BELOW_SANDBOX', '1e3'],
    ['TRANSFER_AUTO_BELOW_LIVE', 'never'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'loopback'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8,,'],
    ['DEFAULT_LOCALE', 'de'],
    ['RESPONSE_ENVELOPE', 'true'],
    ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
    ['LOG_LEVEL', 'verbose'],
    ['ROLE', 'web'],
    ['PROCESSES', '0'],
    ['PROCESSES', '65'],
    ['PROCESSES', 'two'],
    ['MAIL_FROM', 'Pirogue'],
    ['MAIL_FROM', 'a@x.example, b@x.example'],
    ['MAIL_FROM', 'Pirogue, Inc <a@x.example>'],
    ['MAIL_FROM', 'Pirogue <a@x.example> <b@x.example>'],
    ['LIMIT_PHONE_PROMPTS_10MIN', '0'],
    ['PAYOUT_METHOD_COOLING_HOURS', '721'],
    ['PAYOUT_METHOD_COOLING_HOURS', '-1'],
    ['PAYOUT_METHOD_COOLING_HOURS', '1.5'],
    ['LIMIT_PHONE_PROMPTS_DAY', '2.5'],
    ['ALLOW_INSECURE', 'everything'],
    ['ALLOW_INSECURE', 'mail,'],
    ['SECURITY_CONTACT', 'security@example.com'],
    ['SUPPORT_CONTACT', '+229 01 97 00 00 10'],
  ])('name the variable, what was read and what is expected: %s=%s', (name, text) => {
    const found = lines({ [name]: text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(
      new RegExp(`^${name}: read "${text.replace(/[?+.]/g, '.')}", expected`),
    )
  })

  it('are all told at once, one line each', () => {
    const found = lines({ PORT: 'x\ny', ROLE: 'web', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://a' })
    const names = found.map((line) => line.split(':')[0])
    expect(names.sort()).toEqual(['DATABASE_URL', 'LOG_LEVEL', 'PORT', 'ROLE', 'SECRET_KEY'])
    for (const line of found) expect(line).not.toContain('\n')
  })

  it('refuse the same fixed port for the API and the simulator', () => {
    expect(lines({ PORT: '9000', SIMULATOR_PORT: '9000' })).toHaveLength(1)
    expect(lines({ PORT: '0', SIMULATOR_PORT: '0' })).toEqual([])
  })

  it('ask for SECRET_KEY when DATABASE_URL is set', () => {
    const found = lines({ ...outside, SECRET_KEY: '' })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^SECRET_KEY: read nothing, expected 32 random bytes/)
  })

  it('never show a secret key', () => {
    for (const text of [secret.slice(0, 20), `${secret},zz`, `é${secret}`]) {
      const found = lines({ SECRET_KEY: text })
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(/^SECRET_KEY: .*expected 32 bytes in base64/)
      expect(found[0]).not.toContain(secret.slice(0, 8))
    }
  })

  it('never show a password, wherever a malformed URL keeps it', () => {
    const texts = [
      'mysql://app:hunter2@db/x',
      'app:hunter2@db/x',
      'hunter2',
      'postgres:/a:hunter2@b',
    ]
    for (const text of texts) {
      const found = lines({ ...outside, DATABASE_URL: text })
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(/^DATABASE_URL: read /)
      expect(found[0]).not.toContain('hunter2')
    }
    const mail = [
      ...['smtp://app:hunter2@', 'smtp://:hunter2@mail', 'smtp://a:hunter2@mail/?x=1', 'hunter2'],
      ...['http://app:hunter2@mail', 'smtp://a:hunter2%zz@mail', 'smtp://a:hunter2@mail:99999'],
      'smtp:a:hunter2@mail',
    ]
    for (const text of mail) {
      const found = lines({ SMTP_URL: text })
      expect(found).toHaveLength(1)
      expect(found[0]).toMatch(/^SMTP_URL: read .+, expected smtp:\/\//)
      expect(found[0]).not.toContain('hunter2')
    }
    const [line] = lines({ PUBLIC_URL: 'https://app:hunter2@pay.example.com' })
    expect(line).toContain('PUBLIC_URL: read "https://***@pay.example.com"')
  })
})

describe('what production must not be without', () => {
  const bare = { DATABASE_URL: 'postgres://app:hunter2@db/pirogue', SECRET_KEY: secret }
  const names = (found: readonly string[]) => found.map((line) => line.split(':')[0])
  const exceptions = (found: readonly string[]) =>
    found.map((line) => /ALLOW_INSECURE=([a-z_]+)/.exec(line)?.[1])

  it('is told all at once, each with the setting and its exception, and no secret', () => {
    const S3_ENDPOINT = 'http://s3.example'
    const s3 = { S3_ENDPOINT, S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
    const DATABASE_URL_OWNER = 'postgres://owner:hunter2@db/pirogue'
    const found = lines({ ...bare, ...s3, DATABASE_URL_OWNER })
    expect(names(found)).toEqual([
      ...['DATABASE_URL', 'DATABASE_URL_OWNER', 'PUBLIC_URL', 'SMTP_URL', 'S3_ENDPOINT'],
      'DATABASE_URL_OWNER',
    ])
    expect(exceptions(found)).toEqual([
      ...['database_tls', 'database_tls', 'public_url', 'mail', 'storage', 'database_role'],
    ])
    expect(found.join()).not.toContain('hunter2')
  })

  it('may be done without where each exception is named, and is then warned of', () => {
    const named = { ...bare, ALLOW_INSECURE: 'database_tls, public_url' }
    expect(exceptions(lines(named))).toEqual(['mail'])
    const { safety } = config({ ...named, SMTP_URL: 'smtp://mail.example' })
    expect(safety.posture).toBe('production')
    expect(exceptions(safety.warnings.slice(1))).toEqual(['database_tls', 'public_url'])
    expect(config(outside).safety.warnings).toEqual([])
  })

  it('is no https address that is http', () => {
    const found = lines({ ...outside, PUBLIC_URL: 'http://pay.example.com' })
    expect(found).toEqual([expect.stringMatching(/^PUBLIC_URL: is not https.*=public_url\.$/)])
  })

  it('is no dashboard at an http address of its own, nor at the host that payers see', () => {
    const at = (DASHBOARD_URL: string, more = {}) => lines({ ...outside, DASHBOARD_URL, ...more })
    expect(at('http://board.example.com')).toEqual([
      expect.stringMatching(/^DASHBOARD_URL: is not https.*=dashboard_url\.$/),
    ])
    expect(at('http://board.example.com', { ALLOW_INSECURE: 'public_url' })).toHaveLength(1)
    expect(at('http://board.example.com', { ALLOW_INSECURE: 'dashboard_url' })).toEqual([])
    for (const url of ['https://PAY.example.com', 'https://pay.example.com:8443']) {
      expect(at(url)).toEqual([expect.stringMatching(/^DASHBOARD_URL: read .*another host name/)])
    }
    const set = config({ ...outside, DASHBOARD_URL: 'https://Board.example.com:443/' })
    expect(set.dashboard_url).toBe('https://board.example.com')
    expect(set.safety.warnings).toEqual([])
  })

  it.each(['require', 'prefer', 'disable', 'allow', 'no-verify'])(
    'is no proven certificate: sslmode=%s',
    (mode) => {
      const DATABASE_URL = `postgres://app@db/pirogue?sslmode=${mode}`
      expect(exceptions(lines({ ...outside, DATABASE_URL }))).toEqual(['database_tls'])
    },
  )

  it.each(['verify-full', 'verify-ca', 'verify-full&sslrootcert=/ca.pem'])(
    'is there with sslmode=%s, or with sslrootcert=system',
    (mode) => {
      for (const setting of [`sslmode=${mode}`, 'sslrootcert=system']) {
        expect(lines({ ...outside, DATABASE_URL: `postgres://app@db/x?${setting}` })).toEqual([])
      }
    },
  )

  it.each([
    ['postgres://localhost/x', ''],
    ['postgres://me@127.0.0.1:5433/x', ''],
    ['postgres://me@[::1]/x', ''],
    ['postgres:///x', '/run/postgresql'],
    ['postgres:///x', ''],
  ])('is only warned of where database (%s) and HOST are this machine', (DATABASE_URL, PGHOST) => {
    const here = { ...bare, DATABASE_URL, PGHOST }
    const { safety } = config({ ...here, HOST: '127.0.0.1' })
    expect(safety.posture).toBe('development')
    expect(names(safety.warnings)).toEqual(['PUBLIC_URL', 'SMTP_URL'])
    // Without HOST it listens everywhere, which is not development.
    expect(exceptions(lines(here))).toEqual(['public_url', 'mail'])
  })

  it('is asked where PUBLIC_URL says that a proxy on this machine lets others in', () => {
    const here = { ...bare, DATABASE_URL: 'postgres://localhost/x', HOST: '127.0.0.1' }
    for (const PUBLIC_URL of ['https://pay.example.com', 'https://192.0.2.7/pay']) {
      const found = lines({ ...here, PUBLIC_URL })
      expect(exceptions(found)).toEqual(['mail'])
    }
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const { safety } = config({ ...here, PUBLIC_URL: `http://${name}:8080` })
      expect(safety.posture).toBe('development')
    }
  })

  it('is asked where DASHBOARD_URL alone says that others are let in', () => {
    const here = { ...bare, DATABASE_URL: 'postgres://localhost/x', HOST: '127.0.0.1' }
    const found = lines({ ...here, DASHBOARD_URL: 'https://board.example.com' })
    expect(exceptions(found)).toEqual(['public_url', 'mail'])
    const { safety } = config({ ...here, DASHBOARD_URL: 'http://localhost:8080' })
    expect(safety.posture).toBe('development')
    expect(names(safety.warnings)).toContain('DASHBOARD_URL')
  })

  it('is asked where only one of several hosts is this machine', () => {
    const two = { ...bare, HOST: '127.0.0.1', DATABASE_URL: 'postgres://me@localhost,db/x' }
    expect(exceptions(lines(two))).toEqual(['database_tls', 'public_url', 'mail'])
    const away = { ...bare, HOST: '127.0.0.1', DATABASE_URL: 'postgres:///x', PGHOST: 'db' }
    expect(exceptions(lines(away))).toEqual(['database_tls', 'public_url', 'mail'])
  })

  it('is not asked of a command, but for the database', () => {
    const reading = readConfig(bare, 'command')
    expect(reading.is === 'mistakes' && exceptions(reading.lines)).toEqual(['database_tls'])
  })

  it('is not asked of the embedded database, which is warned of where others can call it', () => {
    expect(config({}).safety).toMatchObject({ posture: 'embedded', warnings: [] })
    const { SECURITY_CONTACT } = outside
    for (const far of [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://pay.example.com' }]) {
      const { safety } = config({ ...far, SECURITY_CONTACT })
      expect(safety).toMatchObject({ posture: 'embedded', is_alone: false })
      expect(safety.warnings).toEqual([expect.stringMatching(/demo accounts/)])
    }
    expect(config({}).safety.is_alone).toBe(true)
  })

  it('that others call is warned that it names nobody to report a weakness to', () => {
    const { SECURITY_CONTACT: _contact, ...silent } = outside
    const asked = [expect.stringMatching(/^SECURITY_CONTACT: .*security\.txt is 404/)]
    expect(config(silent).safety).toMatchObject({ posture: 'production', warnings: asked })
    expect(names(config({ HOST: '0.0.0.0' }).safety.warnings)).toContain('SECURITY_CONTACT')
    // Who is alone has nobody to tell, and a command serves no file.
    expect(config({}).safety.warnings).toEqual([])
    const command = readConfig(silent, 'command')
    expect(command.is === 'config' && command.config.safety.warnings).toEqual([])
  })
})

describe('how long data is kept', () => {
  it('has its defaults, and no less than what is promised', () => {
    const reading = readConfig({ RETENTION_EVENT_DAYS: '400' })
    expect(reading.is === 'config' && reading.config.retention).toMatchObject({
      idempotency: 30,
      events: 400,
      live_payers: 0,
    })
    const days = (env: Record<string, string>) => {
      const { retention } = config(env)
      return [retention.live_payers, retention.live_payers_said]
    }
    expect(days({})).toEqual([0, true])
    expect(days(outside)).toEqual([36_500, false])
    expect(days({ ...outside, RETENTION_LIVE_PAYER_DAYS: '0' })).toEqual([0, true])
    expect(days({ ...outside, RETENTION_LIVE_PAYER_DAYS: '3650' })).toEqual([3650, true])
    const short = readConfig({ RETENTION_IDEMPOTENCY_DAYS: '29', RETENTION_EVENT_DAYS: 'long' })
    expect(short.is === 'mistakes' && short.lines).toEqual([
      'RETENTION_IDEMPOTENCY_DAYS: read "29", expected a whole number of days from 30 to 36500.',
      'RETENTION_EVENT_DAYS: read "long", expected a whole number of days from 30 to 36500.',
    ])
  })
})

describe('the paper on settings', () => {
  /** All that a start asks the environment for: with S3 begun, since its names are one setting. */
  function namesAsked(): string[] {
    const asked = new Set<string>()
    const env: Record<string, string> = { S3_ENDPOINT: 'http://127.0.0.1:9000' }
    const get = (from: Record<string, string>, name: string | symbol) => {
      asked.add(String(name))
      return from[String(name)]
    }
    readConfig(new Proxy(env, { get }))
    return [...asked].filter((name) => !name.startsWith('PG'))
  }

  it('has each one that is read, once, and none that nobody reads', () => {
    const paper = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
    const rows = [...paper.matchAll(/^\| (`[A-Z].*?`) \|/gm)].map(([, names = '']) => names)
    const written = rows.flatMap((names) => names.replaceAll('`', '').split(', '))
    const ofBoth = namesAsked().filter((name) => !/_(SANDBOX|LIVE)$/.test(name))
    expect(written.sort()).toEqual(ofBoth.sort())
  })

  it('tells the default of each limit and each span', () => {
    const paper = readFileSync(join(import.meta.dirname, '../../../docs/configuration.md'), 'utf8')
    const told = [...paper.matchAll(/^\| (`(?:LIMIT|RETENTION).*?) \| (.*?) \|/gm)]
    const figures = told.flatMap(([, , defaults = '']) => defaults.match(/\d+/g) ?? [])
    const { limits, retention } = config(outside)
    const { live_payers: _payers, live_payers_said: _said, ...spans } = retention
    const ours = [...Object.values(limits), ...Object.values(spans), 0].map(String)
    expect(figures.sort()).toEqual(ours.sort())
  })
})
