// Staff hand in the bank's proof of a settlement; its merchant reads it, nobody else does, and it
// lies sealed.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendMerchant } from '../../src/merchants/admin/suspend-merchant.ts'
import { type Json, type Shop, type SignedInCaller, startApp, type TestApp } from '../harness.ts'
import { brokenLaws, richSettler, type Settler } from '../setup/settling.ts'

let app: TestApp
let staff: SignedInCaller
beforeAll(async () => {
  app = await startApp()
  staff = await app.staff({ role: 'FINANCE' })
})
afterAll(() => app?.stop())

const pdf = Buffer.from('%PDF-1.7 paid to the merchant')
const png = Buffer.from('\x89PNG\r\n\x1a\n paid', 'latin1')

const handIn = (id: string, bytes: Buffer = pdf, content_type = 'application/pdf', by = staff) =>
  by.call('POST', `/admin/settlements/${id}/proof/`, {
    headers: { 'content-type': content_type },
    body: new Uint8Array(bytes),
  })

const approve = (id: string) => staff.post(`/admin/settlements/${id}/approve/`)

async function approved(): Promise<{ shop: Settler; id: string }> {
  const shop = await richSettler(app)
  const { data } = await shop.settle('bank')
  await approve(data.id)
  return { shop, id: data.id }
}

const suspend = (merchant_id: string) => suspendMerchant(app.service.db, merchant_id, 'a test')

const freeze = (merchant_id: string) => app.owner`
  update balances set is_frozen = true where merchant_id = ${merchant_id}`

async function download(by: Shop, address: string, headers: Record<string, string> = {}) {
  const reply = await fetch(address.startsWith('http') ? address : `${app.url}/api/v1${address}`, {
    headers: { authorization: `Bearer ${by.key}`, ...headers },
  })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, headers: reply.headers, bytes }
}

const codeOf = ({ bytes }: { bytes: Buffer }): string => JSON.parse(bytes.toString()).error.code

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name))
}

describe('the proof of a settlement', () => {
  it('is handed in before or after it was paid, and read by its merchant as it was', async () => {
    const { shop, id } = await approved()
    const handed = await handIn(id)
    expect([handed.status, handed.data.status]).toEqual([200, 'APPROVED'])
    expect(handed.data.proof_url).toBe(`${app.url}/api/v1/settlements/${id}/proof/`)
    const first = await download(shop, handed.data.proof_url)
    expect(first.status).toBe(200)
    expect(first.bytes.equals(pdf)).toBe(true)
    expect(first.headers.get('content-type')).toBe('application/pdf')
    const { reference } = await shop.settlement(id)
    expect(first.headers.get('content-disposition')).toContain(`${reference}.pdf`)

    await staff.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'VIR-1' })
    const paid = await shop.settlement(id)
    expect(paid).toMatchObject({ status: 'SUCCESS', proof_url: handed.data.proof_url })
    expect((await handIn(id, png, 'image/png')).status).toBe(200)
    const second = await download(shop, paid.proof_url)
    expect(second.bytes.equals(png)).toBe(true)
    const seen = await download(staff, `/admin/settlements/${id}/proof/`)
    expect(seen.bytes.equals(png)).toBe(true)
    const acts = await app.owner`
      select action from audit_logs where target_id = ${id} order by id`
    expect(acts.map((one) => one['action'])).toEqual([
      'settlement.approved',
      'settlement.proof_added',
      'settlement.executed',
      'settlement.proof_added',
    ])
  })

  it('says that the bank has paid: whoever would give the money back is refused', async () => {
    const { shop, id } = await approved()
    await handIn(id)
    const held = await shop.sums()
    const fail = () => staff.post(`/admin/settlements/${id}/fail/`, { reason: 'Not today.' })
    const refused = await fail()
    expect([refused.status, refused.error?.code]).toEqual([409, 'settlement_in_flight'])
    expect(refused.error.message).toMatch(/proof.*execute.*return/)
    expect(await shop.settlement(id)).toMatchObject({ status: 'APPROVED', failure_reason: '' })
    expect(await shop.sums()).toEqual(held)
    // As it says: its payment is recorded, and its return by two.
    const paid = await staff.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'V-9' })
    expect(paid.status).toBe(200)
    const returned = await staff.post(`/admin/settlements/${id}/return/`, {
      note: 'VIR-9 came back',
    })
    expect(returned.status).toBe(201)
    const second = await app.staff({ role: 'FINANCE' })
    const confirmed = await second.post(`/admin/incidents/${returned.data.id}/confirm/`)
    expect(confirmed.status).toBe(200)
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
  })

  it.each([
    ['its merchant was suspended', suspend],
    ['its balance was frozen', freeze],
  ])('says that nothing is left to stop: it is recorded though %s since', async (_, stop) => {
    const { shop, id } = await approved()
    await stop(shop.merchant_id)
    const execute = () =>
      staff.post(`/admin/settlements/${id}/execute/`, { gateway_reference: 'V-10' })
    expect([403, 422]).toContain((await execute()).status)
    expect((await handIn(id)).status).toBe(200)
    const failed = await staff.post(`/admin/settlements/${id}/fail/`, { reason: 'Stopped.' })
    expect([failed.status, failed.error?.code]).toEqual([409, 'settlement_in_flight'])
    const paid = await execute()
    expect([paid.status, paid.data?.status]).toEqual([200, 'SUCCESS'])
    expect(await shop.sums()).toEqual(['90000.00', '0.00'])
    const note = { note: 'VIR-10 came back' }
    const returned = await staff.post(`/admin/settlements/${id}/return/`, note)
    expect(returned.status).toBe(201)
    const second = await app.staff({ role: 'FINANCE' })
    await second.post(`/admin/incidents/${returned.data.id}/confirm/`)
    expect(await shop.sums()).toEqual(['100000.00', '0.00'])
    expect(await brokenLaws(app)).toEqual([])
  })

  it('lies sealed, so that whoever has the disk has nothing', async () => {
    const { id } = await approved()
    const secret = Buffer.from('%PDF-1.7 a very particular proof')
    await handIn(id, secret)
    const files = await filesUnder(path.join(app.config.data_dir, 'storage', 'settlements'))
    const mine = files.filter((file) => file.includes(id))
    expect(mine).toHaveLength(1)
    const bytes = await readFile(mine[0] ?? '')
    expect(bytes.includes('particular')).toBe(false)
    expect(bytes.includes(secret.toString('base64').slice(0, 24))).toBe(false)
  })

  it('is nobody else’s to read', async () => {
    const { shop, id } = await approved()
    await handIn(id)
    const own = `/settlements/${id}/proof/`
    const { merchant_id } = shop
    const stranger = await download(await app.shop(), own)
    expect([stranger.status, codeOf(stranger)]).toEqual([403, 'permission_denied'])
    await app.owner`update merchants set live_enabled = true where id = ${merchant_id}`
    const live = await download(await app.shop({ merchant_id, environment: 'LIVE' }), own)
    expect([live.status, codeOf(live)]).toEqual([404, 'not_found'])
    const of_staff = `/admin/settlements/${id}/proof/`
    expect((await download(shop, of_staff)).status).toBe(403)
    expect((await download(await app.staff({ role: 'SUPPORT' }), of_staff)).status).toBe(403)
    const elsewhere = await download(staff, of_staff, { 'x-environment': 'LIVE' })
    expect(elsewhere.status).toBe(404)
  })

  it('is refused where it proves nothing, or is no such file', async () => {
    const shop = await richSettler(app)
    const bank = (await shop.settle('bank')).data.id
    const phone = (await shop.settle('10')).data.id
    const code = async (reply: Promise<Json>) => {
      const { status, error } = await reply
      return [status, error.code]
    }
    expect(await code(handIn(bank))).toEqual([409, 'settlement_not_approved'])
    expect(await code(handIn(phone))).toEqual([409, 'settlement_not_by_bank'])
    await approve(bank)
    expect(await code(handIn(bank, png))).toEqual([415, 'unsupported_media_type'])
    expect(await code(handIn(bank, pdf, 'text/plain'))).toEqual([415, 'unsupported_media_type'])
    const large = Buffer.concat([pdf, Buffer.alloc(10 * 1024 * 1024)])
    expect(await code(handIn(bank, large))).toEqual([413, 'payload_too_large'])
    expect(await code(handIn('x'))).toEqual([404, 'not_found'])
    const none = await download(shop, `/settlements/${bank}/proof/`)
    expect([none.status, codeOf(none)]).toEqual([404, 'not_found'])
    await staff.post(`/admin/settlements/${bank}/fail/`, { reason: 'Closed.' })
    expect(await code(handIn(bank))).toEqual([409, 'transaction_terminal'])
  })
})
