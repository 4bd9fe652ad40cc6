// Staff find a merchant, look through its papers, approve or reject it, set what is theirs to set,
// stop it and let it go on. Its owners are told, and every act stands in its audit log.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platformMerchant } from '../../src/ledger/account.ts'
import {
  type Json,
  type Reply,
  type Shop,
  type SignedInCaller,
  shopWith,
  startApp,
  type TestApp,
} from '../harness.ts'
import { readPublished } from '../published.ts'
import { emailsWaiting } from '../setup/emails-waiting.ts'
import { sessionBody } from '../setup/payer-calls.ts'
import { untilServed } from '../setup/until-served.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  // Without a worker letters stay where they can be read.
  app = await startApp({ env: { ROLE: 'api' } })
  staff = await app.staff({ role: 'OPERATIONS' })
})
afterAll(() => app?.stop())

const codeOf = ({ status, error }: Reply) => [status, error?.code]
const fieldsOf = ({ status, error }: Reply) => [status, Object.keys(error ?? {}).sort()]
const at = (id: string, act = '') => `/admin/merchants/${id}/${act}`
const list = (query: string) => staff.get(`/admin/merchants/?page_size=100&${query}`)
const idsOf = ({ data }: Reply): string[] => data.results.map((one: Json) => one.id)

const patch = (id: string, body: object, by: Shop = staff) =>
  by.call('PATCH', at(id), {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

/** A merchant as one signs up: its owner's e-mail is not proven yet. */
async function newMerchant(changes: object = {}) {
  const body = {
    merchant_name: `Boutique ${randomUUID().slice(0, 8)}`,
    country: 'SN',
    email: `${randomUUID()}@shop.example`,
    password: 'a long pass phrase',
    first_name: 'Awa',
    last_name: 'Diop',
    ...changes,
  }
  const made = await shopWith(app.url, '', '').post('/auth/register/', body)
  expect(made.status).toBe(201)
  const [{ id }] = made.data.merchants
  const owner = shopWith(app.url, id, made.data.token)
  return { id, owner, person_id: made.data.member.id, ...body }
}

const proveEmail = (person_id: string) => app.owner`
  update people set email_verified_at = now() where id = ${person_id}`

const actsOf = async (id: string): Promise<Json[]> => app.owner`
  select environment, actor_kind, actor_id, actor_role, action, before, after
    from audit_logs
   where merchant_id = ${id} and actor_kind <> 'MEMBER' order by created_at, id`

const subjectsTo = async (email: string) =>
  (await emailsWaiting(app)).filter(({ to }) => to === email).map(({ subject }) => subject)

describe('finding a merchant', () => {
  it('by name, id and the e-mail of any member, in any case, and by nothing else', async () => {
    const { id, merchant_name, email } = await newMerchant()
    const admin = await app.member({ merchant_id: id, role: 'ADMIN' })
    for (const search of [merchant_name.toUpperCase(), id, id.slice(0, 18), email, admin.email]) {
      expect(idsOf(await list(`search=${encodeURIComponent(search)}`))).toContain(id)
    }
    expect(idsOf(await list(`search=${merchant_name}x`))).toEqual([])
    // What means something to a pattern means itself here.
    expect(idsOf(await list('search=%25'))).toEqual([])
    expect(idsOf(await list('search=Boutique_'))).toEqual([])
  })

  it('by what it is', async () => {
    const one = await newMerchant({ country: 'CI' })
    const shop = await app.shop({ live: true })
    await staff.post(at(shop.merchant_id, 'suspend/'), { reason: 'a test' })
    await app.owner`update merchants set kyc_status = 'PENDING' where id = ${one.id}`
    const has = async (query: string) => {
      const ids = idsOf(await list(query))
      return [ids.includes(one.id), ids.includes(shop.merchant_id)]
    }
    expect(await has('')).toEqual([true, true])
    expect(await has('status=SUSPENDED')).toEqual([false, true])
    expect(await has('status=ACTIVE')).toEqual([true, false])
    expect(await has('kyc_status=PENDING')).toEqual([true, false])
    expect(await has('country=ci')).toEqual([true, false])
    expect(await has('live_enabled=true')).toEqual([false, true])
    expect(await has('live_enabled=0')).toEqual([true, false])
    const names = (await list('ordering=name')).data.results.map((row: Json) => row.name)
    const sorted = await app.owner<{ name: string }[]>`
      select name from merchants where not is_house order by name limit 100`
    expect(names).toEqual(sorted.map(({ name }) => name))
    const wrong = await list('status=GONE&kyc_status=MAYBE&live_enabled=yes&ordering=secret')
    expect(fieldsOf(wrong)).toEqual([400, ['kyc_status', 'live_enabled', 'ordering', 'status']])
  })

  it('page by page, each once, and none beyond the end', async () => {
    const [{ count } = { count: 0 }] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from merchants where not is_house`
    const pages = Math.ceil(count / 2)
    const seen: string[] = []
    for (let page = 1; page <= pages; page += 1) {
      const reply = await staff.get(
        `/admin/merchants/?page_size=2&page=${page}&ordering=created_at`,
      )
      expect(reply.data.count).toBe(count)
      seen.push(...idsOf(reply))
    }
    expect(new Set(seen).size).toBe(count)
    const beyond = await staff.get(`/admin/merchants/?page_size=2&page=${pages + 1}`)
    expect(codeOf(beyond)).toEqual([404, 'not_found'])
  })

  it('never finds the platform', async () => {
    const ids = Object.values(platformMerchant)
    for (const id of ids) {
      expect(idsOf(await list(`search=${id}`))).toEqual([])
      const acts = await Promise.all([
        staff.get(at(id)),
        patch(id, { name: 'Mine' }),
        staff.post(at(id, 'approve/')),
        staff.post(at(id, 'reject/'), { reason: 'x' }),
        staff.post(at(id, 'suspend/'), { reason: 'x' }),
        staff.post(at(id, 'restore/')),
        staff.get(at(id, 'documents/')),
      ])
      expect(acts.map(codeOf)).toEqual(Array(7).fill([404, 'not_found']))
    }
    for (const id of [randomUUID(), 'nobody']) {
      expect(codeOf(await staff.get(at(id)))).toEqual([404, 'not_found'])
      expect(codeOf(await staff.post(at(id, 'approve/')))).toEqual([404, 'not_found'])
    }
  })

  it('shows its people, its settings and what it has in both environments', async () => {
    const { id, email, person_id, owner } = await newMerchant()
    await owner.post('/sandbox/balances/', { country: 'SN', amount: '15000' })
    const { data } = await staff.get(at(id))
    expect(data).toMatchObject({
      id,
      status: 'ACTIVE',
      suspended_reason: '',
      country: 'SN',
      live_enabled: false,
      approved_at: null,
      kyc_status: 'NONE',
      rate_limit_per_minute: 300,
      cooling_off_hours: null,
      members: [{ id: person_id, email, role: 'OWNER', email_verified: false, disabled: false }],
      balances: [
        { environment: 'SANDBOX', country: 'SN', available_amount: '15000.00', is_frozen: false },
      ],
    })
    expect(JSON.stringify(data)).not.toMatch(/argon2|sealed|hash|sess_|sk_/)
  })
})

describe('approval', () => {
  it('opens LIVE when an owner’s e-mail is proven, and not before', async () => {
    const { id, email, person_id } = await newMerchant()
    const approved = await staff.post(at(id, 'approve/'))
    expect(approved.data).toMatchObject({
      kyc_status: 'APPROVED',
      approved_at: expect.any(String),
      live_enabled: false,
    })
    expect(await subjectsTo(email)).toContainEqual(expect.stringContaining('is approved'))
    await proveEmail(person_id)
    const again = await staff.post(at(id, 'approve/'))
    expect(again.data).toMatchObject({
      approved_at: approved.data.approved_at,
      live_enabled: true,
    })
    const [act] = (await actsOf(id)).filter(({ action }) => action === 'merchant.approved')
    expect(act).toMatchObject({
      environment: null,
      actor_kind: 'STAFF',
      actor_id: staff.person_id,
      actor_role: 'OPERATIONS',
      before: { approved: false, kyc_status: 'NONE' },
      after: { approved: true, kyc_status: 'APPROVED' },
    })
  })

  it('of one whose e-mail is proven opens LIVE at once, and happens once', async () => {
    const { id, owner, email, person_id } = await newMerchant()
    await proveEmail(person_id)
    const live = { 'x-environment': 'LIVE' }
    expect(codeOf(await owner.get('/transactions/', live))).toEqual([403, 'live_mode_not_enabled'])
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => untilServed(() => staff.post(at(id, 'approve/')))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await owner.get('/transactions/', live)).status).toBe(200)
    const acts = (await actsOf(id)).filter(({ action }) => action === 'merchant.approved')
    expect(acts).toHaveLength(1)
    const emails = (await subjectsTo(email)).filter((subject) => subject.includes('is approved'))
    expect(emails).toHaveLength(1)
  })

  it('is refused with a reason that the owner reads, and can be taken back', async () => {
    const { id, owner, email, person_id } = await newMerchant()
    await proveEmail(person_id)
    await app.owner`update people set locale = 'fr' where id = ${person_id}`
    await staff.post(at(id, 'approve/'))
    const reason = 'The registration has expired.'
    const rejected = await staff.post(at(id, 'reject/'), { reason })
    expect(rejected.data).toMatchObject({
      kyc_status: 'REJECTED',
      kyc_note: reason,
      approved_at: null,
      live_enabled: false,
    })
    const live = { 'x-environment': 'LIVE' }
    expect(codeOf(await owner.get('/transactions/', live))).toEqual([403, 'live_mode_not_enabled'])
    expect((await owner.get('/transactions/')).status).toBe(200)
    const message = (await emailsWaiting(app)).findLast(({ to }) => to === email)
    expect(message).toMatchObject({ locale: 'fr', text: expect.stringContaining(reason) })
    expect(message?.subject).toContain('n’est pas approuvé')
    await staff.post(at(id, 'reject/'), { reason })
    expect((await actsOf(id)).map(({ action }) => action)).toEqual([
      'merchant.live_opened',
      'merchant.approved',
      'merchant.rejected',
    ])
    expect((await staff.post(at(id, 'approve/'))).data).toMatchObject({
      kyc_status: 'APPROVED',
      kyc_note: '',
      live_enabled: true,
    })
  })

  it('asks for a reason of 1 to 500 characters', async () => {
    const { id } = await newMerchant()
    for (const act of ['reject/', 'suspend/']) {
      for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }]) {
        expect(fieldsOf(await staff.post(at(id, act), body))).toEqual([400, ['reason']])
      }
    }
    const { data } = await staff.get(at(id))
    expect(data).toMatchObject({ kyc_status: 'NONE', status: 'ACTIVE' })
  })
})

describe('LIVE that staff have closed again', () => {
  const json = { 'content-type': 'application/json' }
  const anyone = () => shopWith(app.url, '', '')
  const page = async (path: string) => {
    const reply = await fetch(`${app.url}${path}`, { headers: { 'accept-language': 'en' } })
    return [reply.status, await reply.text()] as const
  }

  /** Approved as `Awa SARL`, with a payment link and an order of LIVE. */
  async function inLive() {
    const owner = await app.member({ second_factor: 'FRESH' })
    const { merchant_id: id } = owner
    const rename = (name: string) =>
      owner.call('PATCH', '/merchant/', {
        body: JSON.stringify({ name, branding: { name } }),
        headers: json,
      })
    expect((await rename('Awa SARL')).status).toBe(200)
    expect((await staff.post(at(id, 'approve/'))).data.live_enabled).toBe(true)
    const live = { 'x-environment': 'LIVE' }
    const link = { name: 'Shoes', amount: '5000', currency: 'XOF' }
    const { slug } = (await owner.post('/payment-links/', link, live)).data
    const { slug: session } = (await owner.post('/checkout-sessions/', sessionBody(), live)).data
    return { id, owner, rename, slug: String(slug), session: String(session) }
  }

  it('takes no payment by a link or an order, and shows the name that was seen', async () => {
    const { id, rename, slug, session } = await inLive()
    expect((await anyone().get(`/payment-links/public/${slug}/`)).status).toBe(200)
    expect((await anyone().get(`/checkout/${session}/`)).status).toBe(200)
    await staff.post(at(id, 'reject/'), { reason: 'The registration has expired.' })
    expect((await rename('Impôts Bénin')).status).toBe(200)
    const none = [422, 'no_route_available']
    const pays = { network: 'mtn_bj', customer: { phone: '+2290197000010' } }
    expect(codeOf(await anyone().get(`/payment-links/public/${slug}/`))).toEqual(none)
    expect(codeOf(await anyone().get(`/checkout/${session}/`))).toEqual(none)
    expect(codeOf(await anyone().get(`/checkout/${session}/networks/`))).toEqual(none)
    expect(codeOf(await anyone().post(`/checkout/${session}/pay/`, pays))).toEqual(none)
    for (const path of [`/pay/${slug}`, `/checkout/${session}`]) {
      const [status, text] = await page(path)
      expect([path, status]).toEqual([path, 422])
      expect(text).toContain('This merchant takes no payments at the moment.')
      expect(text).toContain('Awa SARL')
      expect(text).not.toContain('Impôts')
    }
    const begun = await app.owner`select 1 from transactions where merchant_id = ${id}`
    expect(begun).toHaveLength(0)
    // Nothing waits for staff: the next approval looks at all of it.
    expect((await staff.get(at(id))).data).toMatchObject({
      reviewed_name: 'Awa SARL',
      name_review_since: null,
    })
    expect((await staff.post(at(id, 'approve/'))).data.reviewed_name).toBe('Impôts Bénin')
    expect((await page(`/pay/${slug}`))[1]).toContain('Impôts Bénin')
  })

  it.each([
    ['that staff had approved', async () => (await inLive()).id],
    ['that was let in by command', async () => (await app.shop({ live: true })).merchant_id],
  ])('widens nothing by a session alone, of one %s', async (_, opened) => {
    const id = await opened()
    const mine = { merchant_id: id, role: 'ADMIN' } as const
    const stolen = await app.member({ ...mine, second_factor: 'STALE' })
    const admin = await app.member({ ...mine, second_factor: 'FRESH' })
    const owner = await app.member({ merchant_id: id, role: 'OWNER', second_factor: 'FRESH' })
    const till = `${randomUUID()}@till.example`
    const settings = (by: Shop, body: object) =>
      by.call('PATCH', '/merchant/', { body: JSON.stringify(body), headers: json })
    const named = { notification_emails: [till], cooling_off_hours: 72 }
    expect((await settings(admin, named)).status).toBe(200)
    await staff.post(at(id, 'reject/'), { reason: 'The registration has expired.' })
    expect((await admin.get('/merchant/')).data.live_enabled).toBe(false)
    const shorter = { cooling_off_hours: 0 }
    const address = { ip_address: '203.0.113.7' }
    const bank = {
      ...{ country: 'BJ', type: 'BANK_ACCOUNT', bank_name: 'Bank of the Gulf' },
      account_number: 'BJ06 6010 0100 1443 9000 0769',
    }
    const guest = { email: `${randomUUID()}@shop.example`, role: 'VIEWER' }
    const acts = (by: Shop) => [
      () => settings(by, shorter),
      () => by.post('/merchant-ip-whitelist/', address),
      () => by.post('/merchant-payout-methods/', bank),
      () => by.post('/merchant-invitations/', guest),
    ]
    for (const act of acts(stolen)) expect(codeOf(await act())).toEqual([403, 'totp_required'])
    // With a code all of it waits, and is told, as if LIVE were open.
    const replies: Reply[] = []
    for (const act of acts(admin)) replies.push(await act())
    expect(replies.map(({ status }) => status)).toEqual([200, 201, 201, 201])
    const [asked, , method] = replies
    expect(asked?.data).toMatchObject({
      cooling_off_hours: 72,
      cooling_off_change: { cooling_off_hours: 0 },
    })
    const wait_h = (Date.parse(method?.data.usable_from) - Date.now()) / 3_600_000
    expect([method?.data.is_usable, Math.round(wait_h)]).toEqual([false, 72])
    for (const email of [owner.email, till]) {
      const subjects = (await subjectsTo(email)).map((subject) => subject.replace(/^.*: /, ''))
      expect(subjects).toEqual(
        expect.arrayContaining([
          'A shorter cooling-off period was requested',
          'A new address on the IP whitelist',
          'A new payout method',
        ]),
      )
    }
  })

  it.each([
    ['was rejected', 'reject/', { reason: 'The registration has expired.' }],
    ['waits for its owner’s proven e-mail', 'approve/', undefined],
  ])('asks for no code of one that never had it and %s', async (_, act, body) => {
    const { id, owner } = await newMerchant()
    expect((await staff.post(at(id, act), body)).data.live_enabled).toBe(false)
    const reply = await owner.call('PATCH', '/merchant/', {
      body: JSON.stringify({ cooling_off_hours: 0 }),
      headers: json,
    })
    expect([reply.status, reply.data.cooling_off_hours]).toEqual([200, 0])
  })

  it('guards one that is approved again and whose owner is away', async () => {
    const { id, owner } = await inLive()
    const admin = await app.member({ merchant_id: id, role: 'ADMIN', second_factor: 'STALE' })
    await staff.post(at(id, 'reject/'), { reason: 'The registration has expired.' })
    await app.owner`update people set disabled_at = now() where id = ${owner.person_id}`
    expect((await staff.post(at(id, 'approve/'))).data).toMatchObject({
      approved_at: expect.any(String),
      live_enabled: false,
    })
    const guest = { email: `${randomUUID()}@shop.example`, role: 'VIEWER' }
    const refused = await admin.post('/merchant-invitations/', guest)
    expect(codeOf(refused)).toEqual([403, 'totp_required'])
  })

  it('leaves the sandbox as it was', async () => {
    const { id, owner } = await inLive()
    await staff.post(at(id, 'reject/'), { reason: 'The registration has expired.' })
    const order = sessionBody({ country: 'BJ' })
    const { slug } = (await owner.post('/checkout-sessions/', order)).data
    expect((await anyone().get(`/checkout/${slug}/`)).data.is_usable).toBe(true)
  })
})

describe('what staff set', () => {
  it('counts from the next call on, in every process', async () => {
    const second = await app.another({ ROLE: 'api' })
    const shop = await app.shop({ rate_limit: 1000 })
    const elsewhere = shopWith(second.public_url, '', shop.key)
    const limits = async () =>
      (await Promise.all([shop, elsewhere].map((one) => one.get('/pricing/my-rates/')))).map(
        ({ status, headers }) => [status, headers.get('ratelimit-limit')],
      )
    expect(await limits()).toEqual(Array(2).fill([200, '1000']))
    const { data } = await patch(shop.merchant_id, { rate_limit_per_minute: 2 })
    expect(data.rate_limit_per_minute).toBe(2)
    let refused = await limits()
    // A minute may begin meanwhile, in which two more are let through.
    for (let more = 0; more < 2 && refused.some(([status]) => status === 200); more += 1) {
      refused = await limits()
    }
    expect(refused).toEqual(Array(2).fill([429, '2']))
    await patch(shop.merchant_id, { rate_limit_per_minute: 5000 })
    expect(await limits()).toEqual(Array(2).fill([200, '5000']))
  })

  it('is written down as it was and as it is, and only when it differs', async () => {
    const { id, merchant_name } = await newMerchant()
    const changes = { name: 'Teranga', kyc_note: 'Called on Monday', cooling_off_hours: 48 }
    const { data } = await patch(id, changes)
    expect(data).toMatchObject({ id, ...changes, rate_limit_per_minute: 300 })
    await patch(id, { ...changes, rate_limit_per_minute: null, name: null })
    expect((await patch(id, { cooling_off_hours: null })).data).toMatchObject({
      name: 'Teranga',
      cooling_off_hours: null,
      rate_limit_per_minute: 300,
    })
    expect((await actsOf(id)).map(({ action, before, after }) => [action, before, after])).toEqual([
      ['merchant.changed', { name: merchant_name, kyc_note: '', cooling_off_hours: null }, changes],
      ['merchant.changed', { cooling_off_hours: 48 }, { cooling_off_hours: null }],
    ])
  })

  it('is named where it is wrong, all of it at once, and then nothing is set', async () => {
    const { id, merchant_name } = await newMerchant()
    const wrong = { rate_limit_per_minute: 0, kyc_note: 'x'.repeat(501), cooling_off_hours: 721 }
    expect(fieldsOf(await patch(id, { ...wrong, name: '' }))).toEqual([
      400,
      ['cooling_off_hours', 'kyc_note', 'name', 'rate_limit_per_minute'],
    ])
    for (const rate_limit_per_minute of [100_001, 1.5, '300', -1]) {
      const reply = await patch(id, { name: 'Teranga', rate_limit_per_minute })
      expect(fieldsOf(reply)).toEqual([400, ['rate_limit_per_minute']])
    }
    expect((await staff.get(at(id))).data.name).toBe(merchant_name)
    const support = await app.staff({ role: 'SUPPORT' })
    const finance = await app.staff({ role: 'FINANCE' })
    for (const one of [support, finance]) {
      expect((await one.get(at(id))).status).toBe(200)
      const refused = [403, 'permission_denied']
      expect(codeOf(await patch(id, { name: 'Mine' }, one))).toEqual(refused)
      expect(codeOf(await one.post(at(id, 'approve/')))).toEqual(refused)
      expect(codeOf(await one.post(at(id, 'suspend/'), { reason: 'x' }))).toEqual(refused)
      expect(codeOf(await one.get(at(id, 'documents/')))).toEqual(refused)
    }
  })
})

describe('its papers', () => {
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n%%EOF\n')

  async function withDocument() {
    const merchant = await newMerchant()
    await proveEmail(merchant.person_id)
    const sent = await merchant.owner.call('POST', '/kyc/documents/?kind=TAX&file_name=tax.pdf', {
      body: new Uint8Array(pdf),
      headers: { 'content-type': 'application/pdf' },
    })
    expect(sent.status).toBe(201)
    return { ...merchant, document: sent.data }
  }

  it('are listed, opened and judged, and who opened them is known', async () => {
    const { id, owner, document } = await withDocument()
    const listed = await staff.get(at(id, 'documents/'))
    expect(listed.data).toMatchObject({ count: 1, results: [{ id: document.id, kind: 'TAX' }] })
    const path = at(id, `documents/${document.id}/`)
    const file = await fetch(`${app.url}/api/v1${path}file/`, {
      headers: { authorization: `Bearer ${staff.key}` },
    })
    expect(file.headers.get('content-type')).toBe('application/pdf')
    expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(Buffer.from(await file.arrayBuffer()).equals(pdf)).toBe(true)
    const judged = await staff.post(`${path}review/`, { status: 'REJECTED', note: 'Blurred.' })
    expect(judged.data).toMatchObject({ id: document.id, status: 'REJECTED', note: 'Blurred.' })
    expect((await owner.get('/kyc/')).data.documents).toMatchObject([
      { status: 'REJECTED', note: 'Blurred.' },
    ])
    const better = await staff.post(`${path}review/`, { status: 'APPROVED' })
    expect(better.data).toMatchObject({ status: 'APPROVED', note: '' })
    expect((await actsOf(id)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
      ['kyc_document.opened', staff.person_id],
      ['kyc_document.reviewed', staff.person_id],
      ['kyc_document.reviewed', staff.person_id],
    ])
  })

  it('are found under their own merchant only', async () => {
    const [{ document }, other] = [await withDocument(), await newMerchant()]
    for (const doc of [document.id, randomUUID(), 'nothing']) {
      const path = at(other.id, `documents/${doc}/`)
      expect(codeOf(await staff.get(`${path}file/`))).toEqual([404, 'not_found'])
      const judged = await staff.post(`${path}review/`, { status: 'APPROVED' })
      expect(codeOf(judged)).toEqual([404, 'not_found'])
    }
    const path = at(other.id, `documents/${document.id}/review/`)
    const wrong = { status: 'PENDING', note: 'x'.repeat(501) }
    expect(fieldsOf(await staff.post(path, wrong))).toEqual([400, ['note', 'status']])
    expect(fieldsOf(await staff.post(path))).toEqual([400, ['status']])
  })
})

describe('suspension', () => {
  it('tells the owners and nobody else, once', async () => {
    const { id, email } = await newMerchant()
    const admin = await app.member({ merchant_id: id, role: 'ADMIN' })
    const reason = 'Papers missing'
    const suspended = await staff.post(at(id, 'suspend/'), { reason })
    expect(suspended.data).toMatchObject({ id, status: 'SUSPENDED', suspended_reason: reason })
    await staff.post(at(id, 'suspend/'), { reason })
    const reworded = await staff.post(at(id, 'suspend/'), { reason: 'Tax papers missing' })
    expect(reworded.data.suspended_reason).toBe('Tax papers missing')
    for (let times = 0; times < 2; times += 1) {
      const restored = await staff.post(at(id, 'restore/'))
      expect(restored.data).toMatchObject({ status: 'ACTIVE', suspended_reason: '' })
    }
    const subjects = (await subjectsTo(email)).map((subject) => subject.replace(/^.*: /, ''))
    expect(subjects.slice(1)).toEqual([
      'Your account is suspended',
      'Your account has been restored',
    ])
    const emails = await emailsWaiting(app)
    expect(emails.find(({ text }) => text.includes('Papers missing'))?.to).toBe(email)
    expect(await subjectsTo(admin.email)).toEqual([])
    expect((await actsOf(id)).map(({ action, after }) => [action, after.suspended_reason])).toEqual(
      [
        ['merchant.suspended', reason],
        ['merchant.suspended', 'Tax papers missing'],
        ['merchant.restored', ''],
      ],
    )
  })
})

describe('every answer to staff', () => {
  it('is as it is published', async () => {
    const published = await readPublished()
    const boss = await app.staff()
    const { id, owner } = await newMerchant()
    const funded = await owner.post('/sandbox/balances/', { country: 'SN', amount: '100' })
    const person = `/admin/staff/${(await app.staff()).person_id}/`
    const balance = `/admin/balances/${funded.data.id}/`
    const calls: readonly [string, string, object?][] = [
      ['GET', '/admin/auth/me/'],
      ['POST', '/admin/staff/', { email: `${randomUUID()}@pirogue.example`, role: 'SUPPORT' }],
      ['GET', '/admin/staff/'],
      ['GET', person],
      ['PATCH', person, { first_name: 'Awa' }],
      ['POST', `${person}reset-second-factor/`],
      ['GET', '/admin/merchants/'],
      ['GET', at(id)],
      ['PATCH', at(id), { cooling_off_hours: 2 }],
      ['POST', at(id, 'approve/')],
      ['POST', at(id, 'reject/'), { reason: 'x' }],
      ['POST', at(id, 'suspend/'), { reason: 'x' }],
      ['POST', at(id, 'restore/')],
      ['GET', at(id, 'documents/')],
      ['GET', '/admin/balances/'],
      ['POST', `${balance}freeze/`, { reason: 'x', amount: '1' }],
      ['POST', `${balance}unfreeze/`, { reason: 'x' }],
      ['POST', `${balance}freeze/`, { reason: 'x', amount: '1000' }],
      ['PATCH', `/admin/staff/${boss.person_id}/`, { disabled: true }],
      ['POST', '/admin/staff/', {}],
    ]
    for (const [method, path, body] of calls) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const headers = { 'content-type': 'application/json' }
      const reply = await boss.call(method, path, { ...sent, headers })
      const operation = published.operationAt(method, path)
      if (operation === undefined) throw new Error(`${method} ${path} is not published`)
      expect([method, path, ...published.faultsOf(operation, reply)]).toEqual([method, path])
    }
  })
})
