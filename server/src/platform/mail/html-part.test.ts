// The HTML part says what the text says, and nobody's words become a link or an element.

import { describe, expect, it } from 'vitest'
import { htmlOf } from './html-part.ts'
import type { Outgoing } from './mail.ts'

const email: Outgoing = {
  id: '01981f3a-0000-7000-8000-00000000d001',
  written_at: new Date('2026-11-21T08:00:00Z'),
  to: 'awa@shop.example',
  subject: 'Choisissez un nouveau mot de passe',
  text: 'Bonjour Awa,\n\nLe lien est valable une seule fois, pendant une\nheure :\n\nhttps://pay.example/dashboard/reset-password#tok-en\n\nSinon, ignorez cet e-mail.',
  locale: 'fr',
}
const look = {
  from: { name: 'Pirogue', address: 'mail@pay.example' },
  public_url: 'https://pay.example',
}
const linksIn = (page: string) => [...page.matchAll(/href="([^"]*)"/g)].map(([, to]) => to)
const written = (text: string) => htmlOf({ ...email, text }, look)

describe('the HTML part of a letter', () => {
  it('has its words, its one link as a button and as text, and loads nothing', () => {
    const page = htmlOf(email, look)
    for (const shown of [
      '<html lang="fr">',
      '>Pirogue<',
      '>Bonjour Awa,<',
      '>Le lien est valable une seule fois, pendant une heure :<',
      '>Continuer</a>',
      'Sinon, ignorez cet e-mail.',
    ]) {
      expect(page).toContain(shown)
    }
    expect(linksIn(page)).toEqual(['https://pay.example/dashboard/reset-password#tok-en'])
    expect(page).not.toMatch(/<(img|link|script|style)|url\(|src=/)
    expect(htmlOf({ ...email, locale: 'en' }, look)).toContain('>Continue</a>')
    expect(Buffer.byteLength(page)).toBeLessThan(4_000)
  })

  it.each([
    'https://evil.example/pay',
    'https://pay.example.evil.example/x',
    'https://pay.example@evil.example/',
    'Hello https://pay.example/x,',
    'javascript:alert(1)',
  ])('makes no link of %s', (line) => {
    expect(linksIn(written(`Hello\n\n${line}\n\nBye`))).toEqual([])
  })

  it('shows markup as the text it is', () => {
    const page = written('Hello <img src=x onerror=alert(1)>,\n\n"><script>alert(1)</script>')
    expect(page).not.toMatch(/<img|<script/)
    expect(page).toContain('&lt;script&gt;')
  })

  it('has a link to the dashboard at a host of its own', () => {
    const own = { ...look, dashboard_url: 'https://board.example' }
    const link = (line: string) => linksIn(htmlOf({ ...email, text: `Hello\n\n${line}` }, own))
    for (const line of ['https://board.example/dashboard/x#t', 'https://pay.example/admin/x#t']) {
      expect(link(line)).toEqual([line])
    }
    expect(link('https://board.example.evil.example/x')).toEqual([])
  })

  it('has no link where it does not know our own address', () => {
    expect(linksIn(htmlOf(email, { from: look.from }))).toEqual([])
  })
})
