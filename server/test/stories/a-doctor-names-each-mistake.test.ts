// `gateway check` over each operator: an account that is well has nothing to mend, each planted
// mistake is named with what to do, and the operator's books stay as they were. What the operator
// wants to see of us (mTLS) is shown, and nothing leaves with a certificate that is no good.

import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FoundGateway } from '../../src/gateways/account-store.ts'
import { accountClients } from '../../src/gateways/account-tls.ts'
import { addAccount, secretBinding } from '../../src/gateways/accounts.ts'
import { accountFactories, findAdapter } from '../../src/gateways/adapters.ts'
import { checkGateway } from '../../src/gateways/check-gateway.ts'
import type { WireBetween } from '../../src/gateways/conformance-bench.ts'
import { collects, type Finding, type GatewayOrder, prepares } from '../../src/gateways/gateway.ts'
import { openKeyring } from '../../src/platform/crypto/seal.ts'
import { type Db, openDb } from '../../src/platform/db.ts'
import { newId } from '../../src/platform/ids.ts'
import { expectInBoth } from '../setup/both-languages.ts'
import { makeCertificate } from '../setup/certificate.ts'
import { serveProxy } from '../setup/connect-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import {
  type Changes,
  doctorOperators,
  type Mistake,
  type Operator,
} from '../setup/doctor-operators.ts'
import { createEnds } from '../setup/ends.ts'
import { freePort } from '../setup/loopback.ts'
import { wireBetween } from '../setup/wire-between.ts'

const ends = createEnds()
const keyring = openKeyring(randomBytes(32).toString('base64'))
const another = openKeyring(randomBytes(32).toString('base64'))
const day_ms = 86_400_000

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createTestDatabase()
  const own = { connections_max: 4, durable: false, application_name: 'doctor' }
  db = openDb({ ...database.options, ...own, role: 'pirogue_app' })
})
afterAll(async () => {
  await ends.all()
  await db?.end()
  await database?.drop()
})

const oneLine = (pem: string) => pem.replaceAll('\n', '\\n')

const [theirs, over, elsewhere] = [
  makeCertificate('localhost', Date.now() + 40 * day_ms, 60),
  makeCertificate('localhost', Date.now() - 2 * day_ms),
  makeCertificate('other.example'),
]
const soon = makeCertificate('localhost')
const [ours, stranger, ended] = [
  makeCertificate('pirogue.example', Date.now() + 40 * day_ms, 60),
  makeCertificate('stranger.example', Date.now() + 40 * day_ms, 60),
  makeCertificate('pirogue.example', Date.now() - 2 * day_ms),
]

const showing = ({ cert, key }: Readonly<{ cert: string; key: string }>) => ({
  ...{ tls_ca: oneLine(theirs.cert), tls_certificate: oneLine(cert), tls_key: oneLine(key) },
})

const orderFor = ({ country }: FoundGateway): GatewayOrder => ({
  ...{ merchant_id: newId(), attempt_id: newId(), direction: 'COLLECT', our_key: randomUUID() },
  ...{ external_reference: '', network_code: 'mtn_bj', country_code: country },
  ...{ amount: 5_000_00n, currency: 'XOF', msisdn: '+2290197000000', flow: 'push' },
  ...{ otp_kind: 'NONE', otp: undefined, description: 'Panier' },
  callback_url: 'https://shop.example/callbacks/one/token',
  return_url: 'https://shop.example/back',
})

type Wires = Readonly<Record<'plain' | 'over' | 'elsewhere' | 'soon' | 'wants', WireBetween>>

async function wiresTo({ url }: Operator): Promise<Wires> {
  const open = (certificate: Parameters<typeof wireBetween>[1]) =>
    ends.keep(wireBetween(url, certificate))
  return {
    plain: await open(theirs),
    over: await open(over),
    elsewhere: await open(elsewhere),
    soon: await open(soon),
    wants: await open({ ...theirs, clients: ours.cert + ended.cert }),
  }
}

type Patient = Readonly<{ operator: Operator; row: FoundGateway; wires: Wires }>

/** The row as it would be with this mistake in it. */
function rowWith({ operator, row }: Patient, { settings, secrets, environment }: Changes) {
  const text = JSON.stringify({ ...operator.account.secrets, ...secrets })
  return {
    ...{ ...row, environment: environment ?? row.environment },
    settings: { ...row.settings, ...settings } as Record<string, string>,
    sealed: keyring.seal(text, secretBinding([row.id, '1'])),
  }
}

type Look = Readonly<{
  public_url?: string
  egress?: readonly string[]
  clock?: () => number
  keys?: typeof keyring
}>

/** Whatever is found, it is in both languages. */
async function look(
  row: FoundGateway,
  { public_url, egress = [], clock, keys }: Look = {},
): Promise<readonly Finding[]> {
  const findings = await checkGateway(
    {
      ...{ db, keyring: keys ?? keyring, egress },
      public_url: public_url ?? 'https://pay.example.com',
      ...(clock === undefined ? {} : { clock }),
    },
    row,
  )
  expectInBoth(findings)
  return findings
}

const texts = (findings: readonly Finding[]) =>
  findings.map(({ what, is, found, fix }) => `${is} ${what.en}: ${found.en} | ${fix.en}`).join('\n')

function expectNamed(
  findings: readonly Finding[],
  { is = 'FAIL', says: [what, fix] }: Pick<Mistake, 'is' | 'says'>,
) {
  const named = findings.filter(
    (one) => one.is === is && what.test(`${one.what.en}: ${one.found.en}`) && fix.test(one.fix.en),
  )
  expect(named.length, texts(findings)).toBeGreaterThan(0)
  const silent = findings.filter((one) => one.is !== 'PASS' && one.fix.en === '')
  expect(silent).toEqual([])
}

/** Those that every account can have. */
function mistakesOfAll({ row, operator, wires }: Patient, free_port: number): Mistake[] {
  const [first = ''] = Object.keys(operator.account.secrets)
  const trusting = (certificate: { cert: string }) => ({ tls_ca: oneLine(certificate.cert) })
  const at = (wire: WireBetween) => ({ base_url: wire.tls_url })
  const wants = at(wires.wants)
  const rotate = new RegExp(`npm run cli -- gateway rotate ${row.code}`)
  return [
    [
      'a setting is missing',
      { settings: { base_url: undefined } },
      /^settings: base_url is missing/,
      /Set it again/,
    ],
    [
      'a setting is malformed',
      { settings: { base_url: 'ftp://x' } },
      /^settings: base_url does not have the right form/,
      /Set it again/,
    ],
    [
      'a secret is missing',
      { secrets: { [first]: undefined } },
      /^settings: \w+ is missing/,
      /Set it again/,
    ],
    [
      'a free host in LIVE',
      { environment: 'LIVE' as const, settings: at(wires.plain) },
      /^settings: base_url: in LIVE only https/,
      /Set it again/,
    ],
    [
      'a name without an address',
      { settings: { base_url: 'https://nowhere.invalid' } },
      /^name: nowhere/,
      /Compare base_url/,
    ],
    [
      'nobody listens',
      { settings: { base_url: `https://127.0.0.1:${free_port}` } },
      /^TLS: nobody listens/,
      /whether it is up/,
    ],
    [
      'no TLS is spoken there',
      { settings: { base_url: wires.plain.url.replace('http', 'https') } },
      /^TLS: no TLS is spoken/,
      /Compare base_url and its port/,
    ],
    [
      'nobody vouches for it',
      { settings: at(wires.plain) },
      /^TLS: nobody that we trust/,
      /set tls_ca/,
    ],
    [
      'its certificate has expired',
      { settings: at(wires.over), secrets: trusting(over) },
      /^TLS: its certificate has expired/,
      /ask the operator/,
    ],
    [
      'its certificate is of another',
      { settings: at(wires.elsewhere), secrets: trusting(elsewhere) },
      /^TLS: its certificate is of another name/,
      /Compare base_url/,
    ],
    [
      'it wants a certificate of ours',
      { settings: wants, secrets: trusting(theirs) },
      /^TLS: .* seen no certificate/,
      /set tls_certificate and tls_key/,
    ],
    [
      'it does not know ours',
      { settings: wants, secrets: showing(stranger) },
      /^TLS: .* seen our certificate/,
      /whether it knows our certificate/,
    ],
    [
      'ours has expired',
      { settings: wants, secrets: showing(ended) },
      /^client certificate: .* has expired/,
      rotate,
    ],
    [
      'ours is of another key',
      { settings: wants, secrets: showing({ cert: ours.cert, key: stranger.key }) },
      /^client certificate: tls_key is not the key/,
      rotate,
    ],
  ].map(([name, changes, what, fix]) => ({ name, changes, says: [what, fix] }) as Mistake)
}

describe.each(Object.entries(doctorOperators))('an account with %s', (adapter, open) => {
  let patient: Patient
  beforeAll(async () => {
    const operator = await open()
    ends.add(operator.stop)
    const module = findAdapter(adapter)
    if (module === undefined) throw new Error(adapter)
    const { settings, secrets, country } = operator.account
    const row = await addAccount({ db, keyring }, module, {
      ...{ code: `${adapter}_well`, name: adapter, environment: 'SANDBOX', country },
      ...{ settings, secrets },
    })
    patient = { operator, row, wires: await wiresTo(operator) }
  })

  const moved = () => patient.operator.books().length

  it('that is well has nothing to mend, over TLS with a certificate of ours too', async () => {
    const { row, wires } = patient
    const settings = { base_url: wires.wants.tls_url }
    const mtls = await look(rowWith(patient, { settings, secrets: showing(ours) }))
    for (const findings of [await look(row), mtls]) {
      expect(findings.filter(({ is }) => is === 'FAIL')).toEqual([])
    }
    expect(texts(mtls)).toMatch(/PASS client certificate: good for \d+ days/)
    expect(texts(mtls)).toMatch(/PASS TLS: TLSv1\.3/)
    expect(wires.wants.passed.length).toBeGreaterThan(1)
    expect(moved()).toBe(0)
  })

  it('has each mistake named that any account can have', async () => {
    const all = mistakesOfAll(patient, await freePort())
    for (const { name, changes, says } of all) {
      const findings = await look(rowWith(patient, changes))
      expectNamed(findings, { says })
      expect(moved(), name).toBe(0)
    }
    const { row, wires } = patient
    expectNamed(await look({ ...row, secrets_version: null, sealed: null }), {
      says: [/^secrets: there are none/, /gateway rotate/],
    })
    expectNamed(await look(row, { keys: another }), {
      says: [/^secrets: they do not open/, /Set SECRET_KEY/],
    })
    const ends_soon = {
      settings: { base_url: wires.soon.tls_url },
      secrets: { tls_ca: oneLine(soon.cert) },
    }
    expectNamed(await look(rowWith(patient, ends_soon)), {
      ...{ is: 'WARN', says: [/^TLS: .*good for 0 days/, /when it renews/] },
    })
    expectNamed(await look(row, { clock: () => Date.now() + 600_000 }), {
      says: [/clock: \d+ s apart/, /by NTP/],
    })
    for (const public_url of ['http://pay.example.com', 'https://127.0.0.1', 'https://10.1.2.3']) {
      const says = [/^our address: http/, /Set PUBLIC_URL to an https/] as const
      expectNamed(await look(row, { public_url }), { is: 'WARN', says })
      const live = await look({ ...row, environment: 'LIVE' }, { public_url })
      expectNamed(live, { says })
    }
    const says = [/^addresses that our calls leave from: not known/, /Set PUBLIC_EGRESS_/] as const
    expectNamed(await look({ ...row, environment: 'LIVE' }), { is: 'WARN', says })
    expect(texts(await look(row))).toMatch(/PASS addresses that our calls leave from: not known/)
    const near = [/leave from: 10\.1\.2\.3 is of this network alone/, /public ones/] as const
    expectNamed(await look(row, { egress: ['10.1.2.3'] }), { is: 'WARN', says: near })
    const known = await look(row, { egress: ['18.192.208.15', '2a05:d018::/36'] })
    expect(texts(known)).toContain('18.192.208.15, 2a05:d018::/36: give them to the operator')
    await database.owner`
      update gateway_secrets set created_at = now() - interval '400 days'
       where gateway_id = ${row.id}`
    expectNamed(await look(row), { is: 'WARN', says: [/^secrets: .* 400 days/, /rotate/] })
    expect(moved()).toBe(0)
  })

  it('has each mistake named that an account of this operator can have', async () => {
    const { operator, wires } = patient
    expect(operator.mistakes.length).toBeGreaterThan(0)
    for (const mistake of operator.mistakes) {
      const { name, changes } = mistake
      changes.first?.()
      const { status } = changes
      const answer = { status: status ?? 200, body: '{}' }
      const isToken = (path: string) => path.includes('token')
      wires.plain.spoils((call) =>
        status === undefined || isToken(call.path) ? undefined : { reaches: false, answer },
      )
      const settings = { ...changes.settings, base_url: wires.plain.url }
      expectNamed(await look(rowWith(patient, { ...changes, settings })), mistake)
      expect(moved(), name).toBe(0)
    }
  })

  it('is looked at through its proxy: its certificate, ours, and what the proxy says', async () => {
    const proxy = await ends.keep(serveProxy())
    const through = (wire: WireBetween, trusted: { cert: string }) => ({
      settings: { base_url: wire.tls_url, egress_proxy: proxy.url },
      secrets: { ...showing(ours), tls_ca: oneLine(trusted.cert) },
    })
    const { wires } = patient
    const found = async (changes: Changes) => texts(await look(rowWith(patient, changes)))
    const well = await found(through(wires.wants, theirs))
    expect(well).toContain('PASS proxy: ')
    expect(well).toContain('PASS TLS: TLSv1.3, certificate good for')
    expect(well).toContain(
      `PASS addresses that our calls leave from: through the proxy ${proxy.url}`,
    )
    expect(await found(through(wires.over, over))).toContain(
      'FAIL TLS: its certificate has expired',
    )
    const { port } = new URL(wires.wants.tls_url)
    expect(new Set(proxy.asked.map(({ to }) => to))).toContain(`localhost:${port}`)
    proxy.does(403)
    const shut = await found(through(wires.wants, theirs))
    expect(shut).toContain('FAIL proxy: ')
    expect(shut).not.toContain(' TLS: ')
    expect(moved()).toBe(0)
  })

  it('pays by what it shows of us, and sends nothing with what is no good', async () => {
    const { row, wires } = patient
    const clients = accountClients(() => undefined)
    ends.add(clients.close)
    const open = accountFactories({
      ...{ quick: db, keyring, outboundOf: clients.of, clock: Date.now },
      ...{ note: () => undefined, paceFault: () => undefined },
    })[row.adapter]
    const said = async (shown: typeof ours) => {
      const settings = { base_url: wires.wants.tls_url }
      const gateway = open?.(rowWith(patient, { settings, secrets: showing(shown) }))
      if (gateway === undefined || !collects(gateway)) throw new Error(row.adapter)
      const order = orderFor(row)
      const { answer } = prepares(gateway)
        ? await gateway.prepare(order)
        : await gateway.collect(order)
      return answer.is
    }
    const passed = () => wires.wants.passed.length
    const before = passed()
    for (const none of [ended, { cert: ours.cert, key: stranger.key }]) {
      expect(await said(none)).toBe('never_sent')
    }
    expect(passed()).toBe(before)
    expect(['waiting', 'prepared']).toContain(await said(ours))
    expect(passed()).toBeGreaterThan(before)
  })
})

describe('an operator that shows what it takes', () => {
  it('is compared with our routes, each difference by itself', async () => {
    const operator = await doctorOperators.pawapay()
    ends.add(operator.stop)
    const module = findAdapter('pawapay')
    if (module === undefined) throw new Error('no adapter')
    const { settings, secrets, country } = operator.account
    const row = await addAccount({ db, keyring }, module, {
      ...{ code: 'pawapay_limits', name: 'pawaPay', environment: 'SANDBOX', country },
      ...{ settings, secrets },
    })
    for (const network of ['mtn_bj', 'celtiis_bj']) {
      await database.owner`
        insert into routes (id, network_id, direction, gateway_id, environment, priority, is_active)
        select gen_random_uuid(), id, 'COLLECT', ${row.id}, 'SANDBOX', 50, false
          from networks where code = ${network}`
    }
    const found = async (what: string) => {
      const one = (await look(row)).find((finding) => finding.what.en === what)
      return `${one?.is} ${one?.found.en}`
    }
    const mtn = 'limits of mtn_bj COLLECT'
    expect(await found(mtn)).toBe(
      'WARN it takes 1.00 to 2000000.00 XOF, we send 200.00 to 100000000.00 XOF',
    )
    expect(await found('limits of celtiis_bj COLLECT')).toBe('WARN not open to this account')
    // A limit of one payment within what it takes is enough.
    await database.owner`
      update gateways set payment_limit_collect = 200000000 where id = ${row.id}`
    expect(await found(mtn)).toMatch(/^PASS .* to 2000000\.00 XOF$/)
    expect(operator.books()).toEqual([])
  })
})
