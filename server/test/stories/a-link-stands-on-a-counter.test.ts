// A payment link on paper: its QR code and its poster lead to the link and nowhere else, in both
// sizes and languages, whatever its merchant is called; for its merchant alone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Json, type Shop, startApp, type TestApp } from '../harness.ts'
import { holdFile } from '../setup/held-to-published.ts'
import { openSession } from '../setup/payer-calls.ts'
import { readTags } from '../setup/pdf-tags.ts'
import { readQrOfPdf, readQrOfPicture } from '../setup/read-qr.ts'

let app: TestApp
let shop: Shop

beforeAll(async () => {
  app = await startApp()
  shop = await app.shop()
})
afterAll(() => app.stop())

async function make(by: Shop, changes: object = {}): Promise<Json> {
  const body = { name: 'Cotisation de novembre', currency: 'XOF', amount: '5000', ...changes }
  const { status, data } = await by.post('/payment-links/', body)
  expect(status).toBe(201)
  return data
}

const load = async (by: Shop, path: string) => {
  const reply = await fetch(`${app.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${by.key}` },
  })
  await holdFile(path, reply)
  return {
    status: reply.status,
    headers: reply.headers,
    file: Buffer.from(await reply.arrayBuffer()),
  }
}

describe('the QR code of a link', () => {
  it('is a picture of its address, as svg and as png', async () => {
    const link = await make(shop)
    const svg = await load(shop, `/payment-links/${link.id}/qr/`)
    expect([svg.status, svg.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(svg.file.toString()).toMatch(/^<svg .*<\/svg>\s*$/s)
    expect(svg.file.toString()).not.toMatch(/<script|<image|href/)
    const png = await load(shop, `/payment-links/${link.id}/qr/?format=png`)
    expect(png.headers.get('content-type')).toBe('image/png')
    expect(png.file.subarray(1, 4).toString()).toBe('PNG')
    // Its width in the first chunk.
    expect(png.file.readUInt32BE(16)).toBe(600)
    expect(readQrOfPicture(png.file)).toBe(link.url)
    const other = await load(shop, `/payment-links/${(await make(shop)).id}/qr/`)
    expect(other.file.equals(svg.file)).toBe(false)
  })

  it('is refused in another format, without a key, and of another merchant', async () => {
    const link = await make(shop)
    for (const path of ['qr/?format=gif', 'poster/?size=A4', 'poster/?lang=de']) {
      expect((await load(shop, `/payment-links/${link.id}/${path}`)).status, path).toBe(400)
    }
    const stranger = await app.shop()
    for (const path of ['qr/', 'poster/']) {
      expect((await load(stranger, `/payment-links/${link.id}/${path}`)).status, path).toBe(403)
      const nobody = await fetch(`${app.url}/api/v1/payment-links/${link.id}/${path}`)
      expect(nobody.status, path).toBe(401)
      const unknown = '01981f3a-5b60-7c11-9a52-0242ac120999'
      expect((await load(shop, `/payment-links/${unknown}/${path}`)).status, path).toBe(404)
    }
  })
})

describe('the poster of a link', () => {
  const sizes = { A5: [419.53, 595.28], A6: [297.64, 419.53] } as const

  it('is one page of its size that leads to the link, in the language asked for', async () => {
    const link = await make(shop)
    for (const [size, [width, height]] of Object.entries(sizes)) {
      const path = `/payment-links/${link.id}/poster/?size=${size}&lang=fr`
      const { status, headers, file } = await load(shop, path)
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf'])
      expect(headers.get('content-language')).toBe('fr')
      expect(headers.get('content-disposition')).toContain(`-${size}.pdf`)
      const text = file.toString('latin1')
      expect(text.startsWith('%PDF-')).toBe(true)
      expect(text.match(/\/Type \/Page\b/g)).toHaveLength(1)
      expect(text).toContain(`[0 0 ${width} ${height}]`)
      expect(text).toContain(`(${link.url})`)
      expect(readQrOfPdf(file), size).toBe(link.url)
      expect(file.length).toBeLessThan(60_000)
    }
  })

  it('names cards only where its merchant takes them, as the page that it leads to does', async () => {
    const phones = await app.shop()
    await app.owner`
      update merchants set allowed_countries = '{BJ}' where id = ${phones.merchant_id}`
    const described = async (address: string) => {
      const page = await (await fetch(`${address}?lang=fr`)).text()
      return /og:description" content="([^"]*)"/.exec(page)?.[1]
    }
    for (const [by, poster, ways] of [
      [shop, 'Mobile money ou carte.', / par mobile money ou par carte\.$/],
      [phones, 'Payez par mobile money.', / par mobile money\.$/],
    ] as const) {
      const link = await make(by)
      const { file } = await load(by, `/payment-links/${link.id}/poster/?lang=fr`)
      const texts = readTags(file).root.children.map(({ text }) => text)
      expect(texts).toContain(`Ouvrez l’appareil photo du téléphone. ${poster}`)
      expect(await described(link.url)).toMatch(ways)
      const { slug } = await openSession(by, { description: '' })
      expect(await described(`${app.url}/checkout/${slug}`)).toMatch(ways)
    }
  })

  it('stands whatever its merchant is called, and of a free amount', async () => {
    const odd = await app.shop()
    const name = 'متجر عائشة (Établissements) Ngozi & Frères \u202e 𝕏 '.repeat(4)
    await app.owner`
      update merchants set brand_name = ${name}, brand_colour = '' where id = ${odd.merchant_id}`
    const link = await make(odd, { name: 'x'.repeat(150), amount_type: 'FREE', amount: null })
    const { status, file } = await load(odd, `/payment-links/${link.id}/poster/`)
    expect(status).toBe(200)
    expect(file.toString('latin1').match(/\/Type \/Page\b/g)).toHaveLength(1)
  })
})
