// What is printed and what comes by e-mail, as pictures: receipt, invoice, poster, letters. A paper
// is drawn by PDFium, as browsers draw one: it is installed beside the repository the first time,
// because nobody who only runs or tests the service needs its 11 MB.

import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflateSync } from 'node:zlib'
import { openBrowser } from '../../server/test/browser/browser.ts'
import { emailsIn } from '../../server/test/mail-server.ts'
import { machineDirectory } from '../../server/test/setup/memory-place.ts'
import { pngChunk } from '../../server/test/setup/pictures.ts'
import type { Calls, OwnDesk } from './start-desk.ts'

const run = promisify(execFile)
const pdfium = '@hyzyla/pdfium@2.1.13'

/** The files it has written. */
export async function drawPapers(desk: OwnDesk, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const old = (await readdir(folder)).filter((file) => /^(paper|letter)-.*\.png$/.test(file))
  await Promise.all(old.map((file) => rm(path.join(folder, file))))
  const papers = await papersOf(desk.calls)
  const drawer = await openDrawer()
  const drawn: string[] = []
  for (const { name, pdf } of papers) {
    const file = path.join(folder, `paper-${name}.png`)
    await writeFile(file, await drawer.draw(pdf))
    drawn.push(file)
  }
  return [...drawn, ...(await drawLetters(desk, folder))]
}

type Paper = Readonly<{ name: string; pdf: Buffer }>

const tax = {
  ...{ legal_name: 'Awa Commerce SARL', address: 'Lot 215, rue 12.045\nCotonou, Bénin' },
  ...{ id_kind: 'IFU', id: '3201900123456', rccm: 'RB/COT/19 B 12345', vat_percent: '18' },
}

/** The receipt first: once the tax details are there, the paper of a payment is an invoice. */
async function papersOf(calls: Calls): Promise<Paper[]> {
  const receipt = `/transactions/${await paidOrder(calls, 'CMD-1042')}/invoice/`
  const link = { name: 'Cotisation de mai', currency: 'XOF', amount: '5000' }
  const { id } = await calls.byKey('POST', '/payment-links/', link)
  const poster = `/payment-links/${String(id)}/poster/?lang=fr`
  const before = [
    { name: 'receipt-fr', pdf: await calls.file(`${receipt}?lang=fr`) },
    { name: 'receipt-en', pdf: await calls.file(`${receipt}?lang=en`) },
    { name: 'poster-a5-fr', pdf: await calls.file(`${poster}&size=A5`) },
    { name: 'poster-a6-fr', pdf: await calls.file(`${poster}&size=A6`) },
  ]
  await calls.byOwner('PATCH', '/merchant/', { tax })
  const invoice = `/transactions/${await paidOrder(calls, 'CMD-1043')}/invoice/?lang=fr`
  return [...before, { name: 'invoice-fr', pdf: await calls.file(invoice) }]
}

async function paidOrder({ byKey }: Calls, merchant_reference: string): Promise<string> {
  const customer = {
    ...{ phone: '+2290197000010', email: 'awa@example.com' },
    ...{ first_name: 'Awa', last_name: 'Diop' },
  }
  const made = await byKey('POST', '/payments/softpay/initialize/', {
    ...{ amount: '12500', currency: 'XOF', country: 'BJ', network: 'mtn_bj' },
    ...{ description: 'Deux sacs de riz', merchant_reference, customer },
  })
  const id = String(made['id'])
  while ((await byKey('GET', `/payments/${id}/verify/`))['status'] !== 'SUCCESS') {
    await setTimeout(500)
  }
  return id
}

type Bitmap = Readonly<{ data: Uint8Array; width: number; height: number }>
type Rendering = Readonly<{ scale: number; render: (bitmap: Bitmap) => Promise<Uint8Array> }>
type Pdfium = Readonly<{
  loadDocument(pdf: Uint8Array): Promise<{
    getPage(at: number): { render(how: Rendering): Promise<{ data: Uint8Array }> }
  }>
}>

async function openDrawer(): Promise<Readonly<{ draw(pdf: Buffer): Promise<Uint8Array> }>> {
  const place = path.join(machineDirectory(), `pirogue-${pdfium.replaceAll(/\W+/g, '-')}`)
  await mkdir(place, { recursive: true, mode: 0o700 })
  const found = createRequire(path.join(place, 'index.js'))
  const name = pdfium.slice(0, pdfium.lastIndexOf('@'))
  const isThere = (await readdir(place)).includes('node_modules')
  const options = ['--no-save', '--no-package-lock', '--ignore-scripts', '--prefix', place]
  if (!isThere) await run('npm', ['install', ...options, pdfium], { cwd: place })
  const { PDFiumLibrary }: { PDFiumLibrary: { init(): Promise<Pdfium> } } = found(name)
  const library = await PDFiumLibrary.init()
  return {
    async draw(pdf) {
      const page = (await library.loadDocument(pdf)).getPage(0)
      return (await page.render({ scale: 1.2, render: async (bitmap) => pngOf(bitmap) })).data
    },
  }
}

const png_signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Four bytes a pixel: red, green, blue, opaque. */
function pngOf({ data, width, height }: Bitmap): Uint8Array {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6, 0, 0, 0], 8)
  const rows = Array.from({ length: height }, (_, at) =>
    Buffer.concat([Buffer.alloc(1), data.subarray(at * width * 4, (at + 1) * width * 4)]),
  )
  return Buffer.concat([
    ...[png_signature, pngChunk('IHDR', head)],
    ...[pngChunk('IDAT', deflateSync(Buffer.concat(rows))), pngChunk('IEND', '')],
  ])
}

const letters = [
  { name: 'confirm-address-fr', subject: /^Confirmez votre adresse/ },
  { name: 'new-password-fr', subject: /^Choisissez un nouveau mot de passe/ },
  { name: 'confirm-address-en', subject: /^Confirm your e-mail address/ },
  { name: 'invitation-fr', subject: /^Invitation à rejoindre / },
] as const

/** As a small telephone shows its HTML part. */
async function drawLetters({ calls, data_dir, origins }: OwnDesk, folder: string) {
  const email = 'awa@example.com'
  const signUp = (changes: Record<string, string>, language: string) => {
    const shop = { merchant_name: 'Boutique', country: 'BJ', password: 'a long pass phrase' }
    return calls.byNobody('/auth/register/', { ...shop, ...changes }, language)
  }
  await signUp({ email, first_name: 'Awa', last_name: 'Diop' }, 'fr')
  await signUp({ email: 'kofi@example.com', first_name: 'Kofi', last_name: 'Mensah' }, 'en')
  await calls.byNobody('/auth/password/forgot/', { email }, 'fr')
  const invited = { email: 'afi@example.com', role: 'FINANCE' }
  await calls.byOwner('POST', '/merchant-invitations/', invited)
  const browsing = await openBrowser(origins)
  const drawn: string[] = []
  try {
    for (const { name, subject } of letters) {
      const html = await letterOf(path.join(data_dir, 'outbox'), subject)
      const file = path.join(folder, `letter-${name}.png`)
      await browsing.visit({ language: 'fr', width: 360 }, async (page) => {
        await page.setContent(shownOf(html, new URL(calls.base_url).origin))
        await page.screenshot({ path: file, fullPage: true })
      })
      drawn.push(file)
    }
  } finally {
    await browsing.close()
  }
  return drawn
}

/** Another address for our own, and no token of anybody. */
const shownOf = (html: string, origin: string): string =>
  html.replaceAll(origin, 'https://pay.example.com').replace(/#[\w-]{20,}/g, '#0123456789abcdef')

async function letterOf(outbox: string, subject: RegExp): Promise<string> {
  for (let looks = 0; looks < 100; looks++) {
    const found = (await emailsIn(outbox)).find(({ headers }) =>
      subject.test(headers['subject'] ?? ''),
    )
    if (found !== undefined) return found.html
    await setTimeout(200)
  }
  throw new Error(`no e-mail ${subject} in ${outbox}`)
}
